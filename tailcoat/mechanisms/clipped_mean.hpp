// The private mean of rows clipped to a ball: (1/n) sum_i a_i min(1, radius / |a_i|) plus Gaussian noise. A row with a
// missing or non-finite value counts as zero; n is public.
#pragma once

#include <string>
#include <vector>

#include "tailcoat/base/result.hpp"
#include "tailcoat/engine/engine.hpp"
#include "tailcoat/mechanisms/outlet.hpp"
#include "tailcoat/privacy/guarantees.hpp"

namespace tailcoat {

Result<std::vector<double>> clipped_mean(Engine&, const RowData&, double radius, const std::string& what, Gdp cost,
                                         Outlet);

}  // namespace tailcoat
