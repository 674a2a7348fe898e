#include "tailcoat/algorithms/needs.hpp"

#include <gtest/gtest.h>

#include <string>

namespace tailcoat {
namespace {

Setting own_loss(GivenFunctions given, double smoothness = std::numeric_limits<double>::infinity()) {
  return {.rows = 10,
          .dimension = 2,
          .diameter = 2,
          .start_distance = 1,
          .moments = {3, 1, 1},
          .smoothness = smoothness,
          .generalised_linear = false,
          .given = given};
}

bool suits(OwnLoss needed, const Setting& setting) { return check(Needs{.own_loss = needed}, "some", setting).ok(); }

TEST(Needs, ALossOfTheUsersOwnNeedsWhatTheAlgorithmAsksFor) {
  const Setting nothing = own_loss({.gradient = false}), gradient = own_loss({}), smooth = own_loss({}, 1),
                step = own_loss({.gradient = false, .implicit_step = true});
  for (const Setting& setting : {nothing, gradient, smooth, step}) EXPECT_FALSE(suits(OwnLoss::none, setting));
  EXPECT_FALSE(suits(OwnLoss::gradient, nothing));
  EXPECT_TRUE(suits(OwnLoss::gradient, gradient));
  EXPECT_FALSE(suits(OwnLoss::gradient, step));
  EXPECT_FALSE(suits(OwnLoss::smooth_gradient, gradient));
  EXPECT_TRUE(suits(OwnLoss::smooth_gradient, smooth));
  EXPECT_FALSE(suits(OwnLoss::implicit_step, gradient));
  EXPECT_TRUE(suits(OwnLoss::implicit_step, smooth));
  EXPECT_TRUE(suits(OwnLoss::implicit_step, step));
}

TEST(Needs, AGeneralisedLinearModelSuitsAllButThoseThatNeedStronglyConvexSamples) {
  Setting setting = own_loss({.gradient = false});
  setting.generalised_linear = true;
  for (const OwnLoss needed : {OwnLoss::none, OwnLoss::gradient, OwnLoss::smooth_gradient, OwnLoss::implicit_step})
    EXPECT_TRUE(suits(needed, setting));
  const Needs strong{.strongly_convex_samples = true};
  EXPECT_TRUE(check(strong, "some", setting).ok());
  setting.strong_convexity = 0.5;
  const auto refused = check(strong, "some", setting);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().kind, ErrorKind::refused);
  EXPECT_NE(refused.error().message.find("strong-convexity = 0.5"), std::string::npos);
}

}  // namespace
}  // namespace tailcoat
