#include "tailcoat/domains/ball.hpp"

#include "tailcoat/domains/bounds.hpp"
#include "tailcoat/domains/distance.hpp"

namespace tailcoat {

Result<Ball> Ball::create(std::vector<double> centre, double radius) {
  TAILCOAT_CHECK(check_coordinates("ball", "centre", centre));
  TAILCOAT_CHECK(check_extent("ball", "radius", radius));
  return Ball(std::move(centre), radius);
}

void Ball::project(std::span<double> x) const {
  // Rounding may leave the moved point just outside: aim lower, at worst at the centre itself.
  Distance away = distance(x, centre_);
  for (double slack = 0; away.value() > radius_; slack = slack == 0 ? 0x1p-53 : 2 * slack) {
    const double ratio = radius_ * (1 - slack) / away.size;
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = centre_[i] + (x[i] - centre_[i]) / away.unit * ratio;
    away = distance(x, centre_);
  }
}

bool Ball::contains(std::span<const double> x, double tolerance) const {
  return distance(x, centre_).value() <= radius_ + tolerance;
}

}  // namespace tailcoat
