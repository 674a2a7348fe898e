// All of the library's public headers.
#pragma once

#include "tailcoat/base/option.hpp"
#include "tailcoat/base/result.hpp"
#include "tailcoat/data/rows.hpp"
#include "tailcoat/data/table.hpp"
#include "tailcoat/domains/domain.hpp"
#include "tailcoat/engine/engine.hpp"
#include "tailcoat/losses/loss.hpp"
#include "tailcoat/mechanisms/bounded_laplace.hpp"
#include "tailcoat/mechanisms/clipped_mean.hpp"
#include "tailcoat/mechanisms/gaussian_release.hpp"
#include "tailcoat/mechanisms/quantile.hpp"
#include "tailcoat/mechanisms/second_moment.hpp"
#include "tailcoat/mechanisms/sparse_vector.hpp"
#include "tailcoat/noise/bit_source.hpp"
#include "tailcoat/privacy/accountant.hpp"
#include "tailcoat/privacy/meter.hpp"
