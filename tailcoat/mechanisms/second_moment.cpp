#include "tailcoat/mechanisms/second_moment.hpp"

#include <numbers>

#include "tailcoat/mechanisms/gaussian_release.hpp"
#include "tailcoat/noise/gaussian.hpp"

namespace tailcoat {

Result<SecondMoment> second_moment(Engine& engine, const RowData& data, double radius, Gdp cost, Outlet outlet) {
  TAILCOAT_TRY(sum, engine.second_moment_sum(data, radius, cost));
  const auto n = static_cast<double>(data.rows());
  const std::size_t d = data.dimension();
  SecondMoment moment{.matrix = std::vector<double>(d * d), .noise_scale = kGaussianScale * sum.unit / n};
  TAILCOAT_TRY(packed, gaussian_release("second-moment matrix", std::move(sum), outlet));

  auto entry = packed.begin();
  for (std::size_t row = 0; row < d; ++row) {
    for (std::size_t column = row; column < d; ++column, ++entry) {
      const double value = row == column ? *entry : *entry / std::numbers::sqrt2;
      moment.matrix[row * d + column] = moment.matrix[column * d + row] = value / n;
    }
  }
  return moment;
}

}  // namespace tailcoat
