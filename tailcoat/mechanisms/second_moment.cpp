#include "tailcoat/mechanisms/second_moment.hpp"

#include <numbers>

#include "tailcoat/mechanisms/gaussian_release.hpp"
#include "tailcoat/noise/gaussian.hpp"

namespace tailcoat {

namespace {

// The mean over n rows, unpacked.
Result<SecondMoment> released(std::string what, SensitiveSum sum, std::size_t rows, std::size_t d, Outlet outlet) {
  const auto n = static_cast<double>(rows);
  SecondMoment moment{.matrix = std::vector<double>(d * d), .noise_scale = kGaussianScale * sum.unit / n};
  TAILCOAT_TRY(packed, gaussian_release(std::move(what), std::move(sum), outlet));

  auto entry = packed.begin();
  for (std::size_t row = 0; row < d; ++row) {
    for (std::size_t column = row; column < d; ++column, ++entry) {
      const double value = row == column ? *entry : *entry / std::numbers::sqrt2;
      moment.matrix[row * d + column] = moment.matrix[column * d + row] = value / n;
    }
  }
  return moment;
}

}  // namespace

Result<SecondMoment> second_moment(Engine& engine, const RowData& data, double radius, Gdp cost, Outlet outlet,
                                   const char* what) {
  TAILCOAT_TRY(sum, engine.second_moment_sum(data, radius, cost));
  return released(what, std::move(sum), data.rows(), data.dimension(), outlet);
}

Result<SecondMoment> gradient_second_moment(Engine& engine, const Samples& samples, std::span<const double> x,
                                            double clip, Gdp cost, Outlet outlet) {
  TAILCOAT_TRY(sum, engine.gradient_second_moment_sum(samples, x, clip, cost));
  return released("second-moment matrix of gradients", std::move(sum), samples.size(), samples.dimension(), outlet);
}

}  // namespace tailcoat
