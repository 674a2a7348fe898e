#include "tailcoat/domains/intersection.hpp"

#include <algorithm>
#include <optional>

#include "points.hpp"

namespace tailcoat {
namespace {

using points::any_point;
using points::minus;
using points::norm;
using points::Point;
using points::projected;

// The nearest feasible candidate; in the plane the candidates below are all there can be.
Point nearest(const Point& x, const std::vector<Point>& candidates, const Domain& domain) {
  std::optional<Point> best;
  for (const Point& z : candidates) {
    if (domain.contains(z, 1e-12) && (!best || norm(minus(z, x)) < norm(minus(*best, x)))) best = z;
  }
  return *best;
}

// Where the line "coordinate `axis` is `at`" meets the circle, if it does.
void add_crossings(std::vector<Point>& candidates, const Point& centre, double radius, std::size_t axis, double at) {
  const double height = radius * radius - (at - centre[axis]) * (at - centre[axis]);
  if (height < 0) return;
  for (const double side : {-1.0, 1.0}) {
    Point z(2);
    z[axis] = at;
    z[1 - axis] = centre[1 - axis] + side * std::sqrt(height);
    candidates.push_back(z);
  }
}

TEST(Intersection, OfDiscAndRectangleIsSolvedExactly) {
  EXPECT_TRUE(rc::check("against all candidates", [] {
    const Point centre = any_point(2, -1, 0), lower = any_point(2, -1, 0);
    const double radius = std::abs(*points::log_uniform(-1, 0.5));
    Point upper = lower;
    for (double& part : upper) part += std::abs(*points::log_uniform(-1, 0.5));
    const auto disc = Domain::ball(centre, radius), box = Domain::box(lower, upper);
    const auto both = Domain::intersection({*disc, *box});
    RC_PRE(both.ok());
    const Point x = any_point(2, -1, 3);

    std::vector<Point> candidates{x, projected(*disc, x), projected(*box, x)};
    for (std::size_t axis = 0; axis < 2; ++axis) {
      for (const double at : {lower[axis], upper[axis]}) {
        add_crossings(candidates, centre, radius, axis, at);
        Point foot = x;
        foot[axis] = at;
        candidates.push_back(foot);
      }
    }
    for (const double first : {lower[0], upper[0]}) {
      for (const double second : {lower[1], upper[1]}) candidates.push_back({first, second});
    }
    const Point z = projected(*both, x), expected = nearest(x, candidates, *both);
    RC_ASSERT(both->contains(z, 0));
    RC_ASSERT(norm(minus(z, x)) <= norm(minus(expected, x)) * (1 + 1e-13) + 1e-12);
    RC_ASSERT(norm(minus(z, expected)) <= 1e-6);  // a thin lens bends the distance only in second order
  }));
}

TEST(Intersection, OfDiscsHasItsCornersAndArcs) {
  const double root = std::sqrt(0.75);
  const auto left = *Domain::ball({-0.5, 0}, 1), right = *Domain::ball({0.5, 0}, 1), around = *Domain::ball({0, 0}, 5);
  // Two of three discs are left to Dykstra's algorithm.
  for (const auto& lens : {*Domain::intersection({left, right}), *Domain::intersection({around, left, right})}) {
    const Point corner = projected(lens, {0.1, 3});
    EXPECT_NEAR(corner[0], 0, 1e-9);
    EXPECT_NEAR(corner[1], root, 1e-9);
    const Point arc = projected(lens, {2, 0.3});
    EXPECT_NEAR(norm(minus(arc, {-0.5, 0})), 1, 1e-11);
    EXPECT_NEAR(arc[1] * 2.5, (arc[0] + 0.5) * 0.3, 1e-9);
  }
}

// The projection on {0 <= x <= upper, sum x = 1} is clamp(x - threshold), with the threshold that makes the sum right.
Point capped_simplex_projection(const Point& x, double upper) {
  const auto at = [&](double threshold) {
    Point z(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) z[i] = std::clamp(x[i] - threshold, 0.0, upper);
    return z;
  };
  double low = *std::min_element(x.begin(), x.end()) - 1, high = *std::max_element(x.begin(), x.end()) + 1;
  for (int step = 0; step < 200; ++step) {
    const double middle = (low + high) / 2;
    const Point z = at(middle);
    double sum = 0;
    for (const double part : z) sum += part;
    (sum > 1 ? low : high) = middle;
  }
  return at(low);
}

TEST(Intersection, OfBoxAndSimplexIsSolvedByDykstra) {
  const auto capped = *Domain::intersection({*Domain::box(Point(6, 0), Point(6, 0.4)), *Domain::simplex(6, 1)});
  EXPECT_TRUE(rc::check("capped simplex", [&] {
    const Point x = any_point(6, -2, 2);
    RC_ASSERT(norm(minus(projected(capped, x), capped_simplex_projection(x, 0.4))) <= 1e-9);
  }));
}

TEST(Intersection, OfThreeSetsMatchesTheSimplerFormulation) {
  // The ball is redundant: it contains the simplex.
  const auto three = *Domain::intersection(
      {*Domain::ball(Point(6, 0), 2), *Domain::box(Point(6, 0), Point(6, 0.4)), *Domain::simplex(6, 1)});
  EXPECT_TRUE(rc::check("redundant ball", [&] {
    const Point x = any_point(6, -2, 1.5);
    RC_ASSERT(norm(minus(projected(three, x), capped_simplex_projection(x, 0.4))) <= 1e-9);
  }));
}

TEST(Intersection, NestsAndAcceptsASinglePart) {
  const auto box = *Domain::box({-1, -1}, {1, 1}), ball = *Domain::ball({0, 0}, 1.2);
  const auto single = *Domain::intersection({box});
  EXPECT_EQ(projected(single, {3, 0.5}), (Point{1, 0.5}));
  EXPECT_EQ(projected(*Domain::intersection({ball}), {0, 5}), projected(ball, {0, 5}));
  const auto nested = *Domain::intersection({*Domain::intersection({ball, box}), *Domain::box({-2, -2}, {0.5, 2})});
  const Point z = projected(nested, {5, 5});
  EXPECT_NEAR(z[0], 0.5, 1e-9);
  EXPECT_NEAR(z[1], 1, 1e-9);
}

TEST(Intersection, WithABallIsExactFromAnyDistance) {
  const auto both = *Domain::intersection({*Domain::ball({0, 0}, 1), *Domain::box({-0.6, -2}, {2, 2})});
  for (const double size : {1.0, 1e3, 1e9, 1e100, 1e308}) {
    const Point z = projected(both, {-size, size * 1e-3});  // towards the side of the box
    EXPECT_NEAR(z[0], -0.6, 1e-12) << size;
    const Point arc = projected(both, {0.6 * size * 1.5, 0.8 * size * 1.5});
    EXPECT_NEAR(arc[0], 0.6, 1e-12) << size;
    EXPECT_NEAR(arc[1], 0.8, 1e-12) << size;
  }
}

TEST(Intersection, SaysWhenItDidNotConverge) {
  const auto capped =
      *Domain::intersection({*Domain::box(Point(6, 0), Point(6, 0.4)), *Domain::simplex(6, 1)}, {.cycles = 1000});
  Point x{1e9, -3e8, 2, 5e8, 0.1, 7e7};
  const Point before = x;
  const auto done = capped.project(x);
  ASSERT_FALSE(done.ok());
  EXPECT_NE(done.error().message.find("did not converge in 1000 cycles"), std::string::npos) << done.error().message;
  EXPECT_EQ(x, before);
}

TEST(Intersection, RefusesPartsThatDoNotMeet) {
  const auto expect_empty = [](std::vector<Domain> parts) {
    const auto both = Domain::intersection(std::move(parts));
    ASSERT_FALSE(both.ok());
    EXPECT_NE(both.error().message.find("no common point"), std::string::npos) << both.error().message;
    EXPECT_NE(both.error().message.find("enlarge"), std::string::npos) << both.error().message;
  };
  expect_empty({*Domain::box({0, 0}, {1, 1}), *Domain::box({1.001, 0}, {2, 1})});
  expect_empty({*Domain::ball({0, 0}, 1), *Domain::box({0.8, 0.8}, {2, 2})});
  expect_empty({*Domain::simplex(3, 1), *Domain::simplex(3, 1.01)});
  expect_empty({*Domain::ball({0, 0}, 1), *Domain::ball({3, 0}, 1)});
  expect_empty({*Domain::box({0, 0}, {0.4, 0.4}), *Domain::simplex(2, 1)});
  expect_empty({*Domain::ball({5, 5}, 0), *Domain::box({0, 0}, {1, 1})});
}

TEST(Intersection, AcceptsPartsThatOnlyTouchAtTheCentreOfABall) {
  const auto point = Domain::intersection({*Domain::ball({0.5, 0.5}, 0), *Domain::box({0, 0}, {1, 1})});
  ASSERT_TRUE(point.ok()) << point.error().message;
  EXPECT_EQ(projected(*point, {1e308, -1e308}), (Point{0.5, 0.5}));
}

}  // namespace
}  // namespace tailcoat
