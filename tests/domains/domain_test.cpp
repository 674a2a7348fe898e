#include "tailcoat/domains/domain.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <string>

#include "points.hpp"

namespace tailcoat {
namespace {

using points::any_point;
using points::inner;
using points::minus;
using points::norm;
using points::Point;
using points::projected;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kLargest = std::numeric_limits<double>::max();

struct Named {
  std::string name;
  Domain domain;
};

std::vector<Named> all_domains() {
  const auto off_centre = *Domain::ball({1, -2, 0.5, 0, 3}, 0.7);
  const auto box = *Domain::box({-1, 0, -0.1, 2, -5}, {1, 0, 0.3, 3, 5});
  const auto cube = *Domain::box(Point(5, 0), Point(5, 0.4));
  const auto simplex = *Domain::simplex(5, 1);
  return {{"ball", *Domain::ball(Point(5, 0), 2)},
          {"ball off centre", off_centre},
          {"point", *Domain::ball({1, 2, 3, 4, 5}, 0)},
          {"box", box},
          {"simplex", simplex},
          {"large simplex", *Domain::simplex(5, 1e6)},
          {"ball and box", *Domain::intersection({*Domain::ball({0.5, 0, 0, 2, 0}, 1.5), box})},
          {"ball and simplex", *Domain::intersection({*Domain::ball(Point(5, 0.1), 0.5), simplex})},
          {"box and simplex", *Domain::intersection({cube, simplex})},
          {"ball, box and simplex", *Domain::intersection({cube, *Domain::ball(Point(5, 0.1), 0.35), simplex})},
          {"two balls", *Domain::intersection({*Domain::ball(Point(5, 0), 1), *Domain::ball(Point(5, 0.5), 1)})}};
}

// Dykstra's algorithm stops where a cycle changes little, which is not yet where it ends.
bool uses_dykstra(const Named& named) { return named.name.find("box and simplex") != std::string::npos; }
double accuracy(const Named& named) { return uses_dykstra(named) ? 1e-9 : 1e-13; }

template <class Property>
void for_each_domain(const Property& property) {
  for (const Named& named : all_domains()) {
    EXPECT_TRUE(rc::check(named.name, [&] { property(named); }));
  }
}

// x - z makes an obtuse angle with every direction from z into the domain: that is what makes z the nearest point.
TEST(Domain, ProjectionIsTheNearestPoint) {
  for_each_domain([](const Named& named) {
    const Point x = any_point(5, -2, 1.5), other = projected(named.domain, any_point(5, -2, 1.5));
    const Point z = projected(named.domain, x);
    const double scale = (norm(x) + norm(z)) * (norm(other) + norm(z));
    RC_ASSERT(inner(minus(x, z), minus(other, z)) <= accuracy(named) * scale);
  });
}

TEST(Domain, ProjectionIsNonexpansive) {
  for_each_domain([](const Named& named) {
    const Point x = any_point(5, -2, 1.5), other = any_point(5, -2, 1.5);
    const double after = norm(minus(projected(named.domain, x), projected(named.domain, other)));
    RC_ASSERT(after <= norm(minus(x, other)) + accuracy(named) * (1 + norm(x) + norm(other) + named.domain.diameter()));
  });
}

TEST(Domain, ProjectionIsIdempotentAndLeavesMembersAlone) {
  for_each_domain([](const Named& named) {
    const Point z = projected(named.domain, any_point(5, -2, 1.5));
    const double moved = norm(minus(projected(named.domain, z), z));
    RC_ASSERT(moved <= accuracy(named) * (norm(z) + named.domain.diameter()));
  });
}

TEST(Domain, ContainsWhatItProjectsWithoutTolerance) {
  for (const Named& named : all_domains()) {
    EXPECT_TRUE(rc::check(named.name, [&] {
      const Point z = projected(named.domain, any_point(5, -2, 1.5));
      RC_ASSERT(named.domain.contains(z, uses_dykstra(named) ? 1e-11 : 0));
    }));
  }
}

TEST(Domain, ContainsWhatItProjectsFromAnywhere) {
  for (const Named& named : all_domains()) {
    if (uses_dykstra(named)) continue;
    EXPECT_TRUE(rc::check(named.name, [&] {
      const Point x =
          *rc::gen::oneOf(rc::gen::container<Point>(5, points::log_uniform(-323, 308)),
                          rc::gen::container<Point>(5, rc::gen::element(kLargest, -kLargest, 1e308, 0.0, 5e-324)));
      const Point z = projected(named.domain, x);
      RC_ASSERT(named.domain.contains(z, 0));
    }));
  }
}

TEST(Domain, DiameterBoundsEveryDistanceInside) {
  for_each_domain([](const Named& named) {
    const Point a = projected(named.domain, any_point(5, -1, 1.5)), b = projected(named.domain, any_point(5, -1, 1.5));
    RC_ASSERT(norm(minus(a, b)) <= named.domain.diameter() * (1 + 1e-15) + 1e-14 * norm(a));
  });
}

TEST(Domain, DiameterIsAttainedByTheSimpleSets) {
  EXPECT_EQ(Domain::ball({3, 4}, 5)->diameter(), 10);
  EXPECT_EQ(Domain::box({0, 0}, {3, 4})->diameter(), 5);
  EXPECT_NEAR(Domain::simplex(3, 2)->diameter(), 2 * std::sqrt(2.0), 1e-15);
  EXPECT_GE(Domain::simplex(3, 2)->diameter(), 2 * std::sqrt(2.0));
  EXPECT_EQ(Domain::simplex(1, 2)->diameter(), 0);
  EXPECT_GT(Domain::box({-1e150, -1e150}, {1e150, 1e150})->diameter(), 2.8e150);
  EXPECT_NEAR(Domain::box({0}, {1e-300})->diameter(), 1e-300, 1e-315);
}

TEST(Domain, CentreIsAMemberOfTheRightDimension) {
  for (const Named& named : all_domains()) {
    EXPECT_EQ(named.domain.dimension(), 5u);
    EXPECT_EQ(named.domain.centre().size(), 5u);
    EXPECT_TRUE(named.domain.contains(named.domain.centre(), 1e-12 * named.domain.diameter())) << named.name;
  }
}

TEST(Domain, RefusesPointsItCannotProjectAndLeavesThemAsTheyAre) {
  for (const Named& named : all_domains()) {
    for (const double bad : {kNan, kInfinity, -kInfinity}) {
      Point x(5, 7.0);
      x[3] = bad;
      const auto done = named.domain.project(x);
      ASSERT_FALSE(done.ok());
      EXPECT_NE(done.error().message.find("x[3]"), std::string::npos) << done.error().message;
      EXPECT_EQ(x[0], 7.0);
      EXPECT_FALSE(named.domain.contains(x, 1e300));
    }
    Point wrong(4, 7.0);
    EXPECT_FALSE(named.domain.project(wrong).ok());
    EXPECT_FALSE(named.domain.contains(wrong, 1e300));
  }
}

TEST(Domain, RefusesWhatIsNoDomainWithTheValueAndTheRemedy) {
  const auto expect_refusal = [](const Result<Domain>& domain, std::string_view value, std::string_view remedy) {
    ASSERT_FALSE(domain.ok()) << value;
    EXPECT_EQ(domain.error().kind, ErrorKind::usage);
    EXPECT_NE(domain.error().message.find(value), std::string::npos) << domain.error().message;
    EXPECT_NE(domain.error().message.find(remedy), std::string::npos) << domain.error().message;
  };
  expect_refusal(Domain::ball({}, 1), "dimension 0", "at least one");
  expect_refusal(Domain::ball({0}, -1), "radius is -1", "0 to 1e150");
  expect_refusal(Domain::ball({0}, kNan), "radius is nan", "0 to 1e150");
  expect_refusal(Domain::ball({0}, kInfinity), "radius is inf", "0 to 1e150");
  expect_refusal(Domain::ball({0, kNan}, 1), "centre[1] is nan", "finite");
  expect_refusal(Domain::ball({1e308}, 1), "1e+308", "at most 1e150");
  expect_refusal(Domain::box({}, {}), "dimension 0", "at least one");
  expect_refusal(Domain::box({0, 1}, {1}), "dimension 2 and upper has 1", "the same");
  expect_refusal(Domain::box({0, 1}, {1, 0.5}), "lower[1] is 1 and upper[1] is 0.5", "must not be above");
  expect_refusal(Domain::box({-kInfinity}, {0}), "lower[0] is -inf", "finite");
  expect_refusal(Domain::simplex(0, 1), "dimension is 0", "at least one");
  expect_refusal(Domain::simplex(2, -0.5), "scale is -0.5", "0 to 1e150");
  expect_refusal(Domain::intersection({}), "no parts", "at least one");
  expect_refusal(Domain::intersection({*Domain::simplex(2, 1), *Domain::simplex(3, 1)}), "dimension 2", "the same");
  expect_refusal(Domain::intersection({*Domain::simplex(2, 1)}, {.tolerance = kNan}), "tolerance is nan", "1e-15");
  expect_refusal(Domain::intersection({*Domain::simplex(2, 1)}, {.cycles = 0}), "0 cycles", "at least one");
  const auto too_large = Domain::simplex(std::numeric_limits<std::size_t>::max(), 1);
  ASSERT_FALSE(too_large.ok());
  EXPECT_EQ(too_large.error().kind, ErrorKind::system);
}

TEST(Ball, KeepsTheDirectionOfHugeAndTinyPoints) {
  const auto unit = *Domain::ball({0, 0}, 1), tiny = *Domain::ball({0, 0}, 1e-150);
  for (const double size : {2.0, 1e100, 3e200, 1e307, 4e307}) {
    const Point z = projected(unit, {3 * size, 4 * size});
    EXPECT_NEAR(z[0], 0.6, 1e-15) << size;
    EXPECT_NEAR(z[1], 0.8, 1e-15) << size;
  }
  for (const double size : {1e-149, 1.0, 4e307}) {
    const Point z = projected(tiny, {3 * size, 4 * size});
    EXPECT_NEAR(z[0], 0.6e-150, 1e-165) << size;
    EXPECT_NEAR(z[1], 0.8e-150, 1e-165) << size;
  }
}

TEST(Ball, HoldsItsRadiusEvenFarFromTheOrigin) {
  const auto far = *Domain::ball({1e10, -1e10, 1e10}, 1e-3);
  EXPECT_TRUE(rc::check("rounding of the centre dominates", [&] {
    Point x = any_point(3, -4, 3);
    for (std::size_t i = 0; i < 3; ++i) x[i] += far.centre()[i];
    const Point z = projected(far, x);
    RC_ASSERT(far.contains(z, 0));
    RC_ASSERT(far.contains(x, 0) || !far.contains(z, -1e-4));  // and it does not retreat more than rounding asks for
  }));
}

TEST(Simplex, SolvesKnownCases) {
  const auto simplex = *Domain::simplex(3, 1);
  EXPECT_EQ(projected(simplex, {0.2, 0.3, 0.5}), (Point{0.2, 0.3, 0.5}));
  EXPECT_EQ(projected(simplex, {2, 0, 0}), (Point{1, 0, 0}));
  EXPECT_EQ(projected(simplex, {1, 1, -5}), (Point{0.5, 0.5, 0}));
  EXPECT_EQ(projected(simplex, {1e308, 1e308, -1e308}), (Point{0.5, 0.5, 0}));
  EXPECT_EQ(projected(simplex, {-1e308, -1e308, -1.1e308}), (Point{0.5, 0.5, 0}));
  EXPECT_EQ(projected(*Domain::simplex(1, 3), {-1e308}), (Point{3}));
  EXPECT_EQ(projected(*Domain::simplex(2, 0), {5, 4}), (Point{0, 0}));
}

TEST(Simplex, KeepsItsSumInAMillionDimensions) {
  const std::size_t dimension = 1'000'000;
  const auto simplex = *Domain::simplex(dimension, 1);
  Point x(dimension);
  for (std::size_t i = 0; i < dimension; ++i) x[i] = std::sin(static_cast<double>(i)) * 1e-6 + (i == 0 ? 0.5 : 0.0);
  EXPECT_TRUE(simplex.contains(projected(simplex, x), 0));
}

}  // namespace
}  // namespace tailcoat
