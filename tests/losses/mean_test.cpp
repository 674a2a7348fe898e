#include "tailcoat/losses/mean.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <limits>
#include <vector>

#include "reference.hpp"

namespace tailcoat {
namespace {

using reference::Wide;

TEST(MeanLoss, ValueGradientAndStepOfAnExample) {
  const std::vector<double> x{1, 2}, sample{4, -2};
  EXPECT_EQ(MeanLoss{}.value(x, sample), 12.5);
  std::vector<double> gradient(2), moved = x;
  MeanLoss{}.gradient(x, sample, gradient);
  EXPECT_EQ(gradient, (std::vector<double>{-3, 4}));
  MeanLoss{}.implicit_step(moved, sample, 1);
  EXPECT_EQ(moved, (std::vector<double>{2.5, 0}));
}

TEST(MeanLoss, ImplicitStepSolvesItsOptimalityCondition) {
  EXPECT_TRUE(rc::check("x - z = eta (z - s)", [] {
    const double x = *reference::margin(), s = *reference::margin(), eta = std::abs(*reference::log_uniform(-320, 308));
    std::vector<double> z{x};
    MeanLoss{}.implicit_step(z, std::vector<double>{s}, eta);
    RC_ASSERT(std::isfinite(z[0]));
    const Wide exact = (Wide(x) + Wide(eta) * Wide(s)) / (1 + Wide(eta));
    const Wide scale = (abs(Wide(x)) + Wide(eta) * abs(Wide(s))) / (1 + Wide(eta));
    RC_ASSERT(abs(exact - z[0]) <= 4e-16 * scale + 1e-307);
  }));
}

TEST(MeanLoss, SaturatesInsteadOfOverflowing) {
  const std::vector<double> huge{kLargestDouble, -1e308, 1e200}, opposite{-kLargestDouble, 1e308, 0};
  std::vector<double> gradient(3);
  MeanLoss{}.gradient(huge, opposite, gradient);
  EXPECT_EQ(MeanLoss{}.value(huge, opposite), kLargestDouble);
  EXPECT_EQ(gradient, (std::vector<double>{kLargestDouble, -kLargestDouble, 1e200}));
  EXPECT_EQ(MeanLoss{}.value({}, {}), 0);
  std::vector<double> largest(3, kLargestDouble);
  for (const double eta : {0.0, 0.1, 0.3, 7.0, 1e308}) MeanLoss{}.implicit_step(largest, largest, eta);
  EXPECT_TRUE(std::isfinite(largest[0]));
}

}  // namespace
}  // namespace tailcoat
