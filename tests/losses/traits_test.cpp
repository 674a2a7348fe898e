#include "tailcoat/losses/traits.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace tailcoat {
namespace {

const char* const kLosses[] = {"squared", "huber:1.5", "absolute",       "quantile:0.9", "logistic",
                               "poisson", "hinge",     "smoothed-hinge", "squared-hinge"};

double derivative(const Loss& loss, double margin, double label) {
  return std::visit([&](const auto& each) { return each.derivative(margin, label); }, loss);
}

Loss loss_of(const char* name) {
  const auto loss = parse_loss(name);
  EXPECT_TRUE(loss.ok()) << loss.error().message;
  return *loss;
}

TEST(LossTraits, ABoundedSlopeIsOne) {
  for (const char* name : kLosses) {
    const Loss loss = loss_of(name);
    const double label = traits_of(loss).target == LossTraits::Target::number ? 0 : 1;
    const double far = std::max(std::abs(derivative(loss, 30, label)), std::abs(derivative(loss, -30, label)));
    EXPECT_EQ(traits_of(loss).bounded_slope, far <= 2) << name;
  }
}

TEST(LossTraits, TheJumpIsThatOfTheDerivative) {
  for (const char* name : {"absolute", "quantile:0.9", "quantile:0.2", "hinge"}) {
    const Loss loss = loss_of(name);
    EXPECT_NEAR(derivative(loss, 1 + 1e-9, 1) - derivative(loss, 1 - 1e-9, 1), traits_of(loss).kink_jump, 1e-6) << name;
  }
}

TEST(LossTraits, OnlyHingesHaveRowsWithoutAGradient) {
  for (const char* name : kLosses) {
    const Loss loss = loss_of(name);
    const bool none = derivative(loss, 5, 1) == 0 && traits_of(loss).target == LossTraits::Target::classes;
    EXPECT_EQ(traits_of(loss).zero_gradients, none) << name;
  }
}

TEST(LossTraits, TheLeastClipOfAQuantileIsItsLongerSlope) {
  for (const double level : {0.1, 0.5, 0.9}) {
    const Loss loss = QuantileLoss{level};
    EXPECT_DOUBLE_EQ(traits_of(loss).least_clip,
                     std::max(std::abs(derivative(loss, 1, 0)), std::abs(derivative(loss, -1, 0))));
  }
}

}  // namespace
}  // namespace tailcoat
