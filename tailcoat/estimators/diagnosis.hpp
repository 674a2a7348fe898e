// How well a model fits, as released counts: residuals of numbers, calibration of chances.
#pragma once

#include <span>

#include "tailcoat/estimators/design.hpp"
#include "tailcoat/estimators/fit.hpp"

namespace tailcoat {

// The design's labels are in the units of the fit, of which one is `unit` in the file. Two releases.
Result<Diagnosis> diagnose_numbers(const RowMaker&, std::span<const double> x, double unit, Gdp cost, RunContext,
                                   Outlet);

// The design's labels must be +-kClassOffset. One release.
inline constexpr double kClassOffset = 64;
Result<Diagnosis> diagnose_chances(const RowMaker&, std::span<const double> x, Gdp cost, RunContext, Outlet);

}  // namespace tailcoat
