#include "tailcoat/losses/loss.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "reference.hpp"

namespace tailcoat {
namespace {

using reference::all_losses;
using reference::larger;
using reference::Wide;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

double value(const Loss& loss, double t, double y) {
  return std::visit([&](const auto& l) { return l.value(t, y); }, loss);
}
double derivative(const Loss& loss, double t, double y) {
  return std::visit([&](const auto& l) { return l.derivative(t, y); }, loss);
}
double implicit_slope(const Loss& loss, double t, double y, double kappa) {
  return std::visit([&](const auto& l) { return l.implicit_slope(t, y, kappa); }, loss);
}
double curvature_bound(const Loss& loss) {
  return std::visit([](const auto& l) { return l.curvature_bound(); }, loss);
}

// Runs `property(loss, t, y)` on margins and labels of the loss, including the kink t = y.
template <class Property>
void for_margins(const Property& property) {
  for (const Loss& loss : all_losses()) {
    EXPECT_TRUE(rc::check(loss_name(loss), [&] {
      const double y = *reference::label(loss);
      const double t = *rc::gen::oneOf(reference::margin(), rc::gen::just(y));
      property(loss, t, y);
    }));
  }
}

TEST(Loss, ReferenceSlopesAreTheSlopesOfTheReferenceValue) {
  const Wide h = 1e-60;
  for (const Loss& loss : all_losses()) {
    for (const double t : {-1e19, -750.0, -30.0, -1.0, -1e-3, 0.0, 1e-30, 0.5, 1.0, 2.0, 37.0, 699.0, 701.0, 1e19}) {
      for (const double y : {-1.0, 1.0}) {
        const Wide centre = reference::value(loss, t, y);
        const auto [lower, upper] = reference::slopes(loss, t, y);
        const Wide slack = 1e-50 * (1 + abs(upper) + abs(lower));
        EXPECT_LE(abs((centre - reference::value(loss, t - h, y)) / h - lower), slack) << loss_name(loss) << ' ' << t;
        EXPECT_LE(abs((reference::value(loss, t + h, y) - centre) / h - upper), slack) << loss_name(loss) << ' ' << t;
      }
    }
  }
}

TEST(Loss, ValueIsTheReferenceValueOrSaturates) {
  for_margins([](const Loss& loss, double t, double y) {
    const Wide exact = reference::value(loss, t, y);
    const double computed = value(loss, t, y);
    RC_ASSERT(std::isfinite(computed));
    if (abs(exact) > Wide(kLargestDouble) / 4) {
      RC_ASSERT((exact < 0 ? -computed : computed) > kLargestDouble / 9);
    } else {  // the two terms of the Poisson loss may cancel
      const Wide scale = abs(exact) + (std::holds_alternative<PoissonLoss>(loss) ? abs(Wide(y) * Wide(t)) : Wide(0));
      RC_ASSERT(abs(computed - exact) <= 1e-14 * scale + 1e-300);
    }
  });
}

TEST(Loss, DerivativeIsASubgradient) {
  for_margins([](const Loss& loss, double t, double y) {
    const auto [lower, upper] = reference::slopes(loss, t, y);
    const double slope = derivative(loss, t, y);
    RC_ASSERT(std::isfinite(slope));
    if (abs(upper) > kLargestDouble) return;  // t - y is beyond all doubles
    const Wide scale =
        larger(abs(lower), abs(upper)) + (std::holds_alternative<PoissonLoss>(loss) ? 2 * Wide(y) : Wide(0));
    const Wide slack = 4e-16 * scale + 1e-304;
    RC_ASSERT(lower - slack <= slope);
    RC_ASSERT(slope <= upper + slack);
  });
}

TEST(Loss, DerivativeIsMonotoneAndRespectsTheCurvatureBound) {
  for_margins([](const Loss& loss, double t, double y) {
    const double other = *reference::margin();
    const double from = std::min(t, other), to = std::max(t, other);
    RC_PRE(from < to && std::isfinite(to - from));
    const double rise = derivative(loss, to, y) - derivative(loss, from, y);
    const double size = std::abs(derivative(loss, to, y)) + std::abs(derivative(loss, from, y));
    RC_ASSERT(rise >= -4e-16 * size);
    RC_ASSERT(rise <= curvature_bound(loss) * (to - from) + 4e-16 * size);
  });
}

TEST(Loss, CurvatureBoundIsAttained) {
  const auto steepest = [](const Loss& loss, double t, double y) {
    return (derivative(loss, t + 1e-4, y) - derivative(loss, t - 1e-4, y)) / 2e-4;
  };
  EXPECT_NEAR(steepest(SquaredLoss{}, 3, 1), SquaredLoss{}.curvature_bound(), 1e-6);
  EXPECT_NEAR(steepest(HuberLoss{}, 1.5, 1), HuberLoss{}.curvature_bound(), 1e-6);
  EXPECT_NEAR(steepest(LogisticLoss{}, 0, 1), LogisticLoss{}.curvature_bound(), 1e-6);
  EXPECT_NEAR(steepest(SmoothedHingeLoss{0.5}, 0.75, 1), SmoothedHingeLoss{0.5}.curvature_bound(), 1e-6);
  EXPECT_NEAR(steepest(SquaredHingeLoss{}, 0, -1), SquaredHingeLoss{}.curvature_bound(), 1e-6);
  EXPECT_EQ(LinearLoss{}.curvature_bound(), 0);
  for (const Loss& loss : {Loss{PoissonLoss{}}, Loss{AbsoluteLoss{}}, Loss{QuantileLoss{}}, Loss{HingeLoss{}}}) {
    EXPECT_EQ(curvature_bound(loss), kInfinity) << loss_name(loss);
  }
}

TEST(Loss, ValueIsConvexAlongComputedSlopes) {
  for_margins([](const Loss& loss, double t, double y) {
    const double other = *reference::log_uniform(-3, 2.8);
    RC_PRE(std::abs(t) < 1e100 && std::abs(y) < 1e100);
    const double tangent = value(loss, t, y) + derivative(loss, t, y) * (other - t);
    const double scale = std::abs(value(loss, t, y)) +
                         std::abs(derivative(loss, t, y)) * (std::abs(other) + std::abs(t)) +
                         (1 + std::abs(y)) * (std::abs(t) + std::abs(other));
    RC_ASSERT(value(loss, other, y) >= tangent - 1e-13 * scale);
  });
}

TEST(Loss, EveryFunctionIsFiniteForAllFiniteArguments) {
  const std::vector<double> hostile{0,    -0.0,  5e-324, 1e-320, 2.3e-308, 1e-160, 0.5,     1,
                                    36,   699,   700,    709.7,  710,      745,    1e5,     1e10,
                                    1e19, 1e100, 1e154,  1e160,  1e300,    1e307,  1.7e308, kLargestDouble};
  for (const Loss& loss : all_losses()) {
    for (const double size : hostile) {
      for (const double label : hostile) {
        for (const double t : {size, -size}) {
          for (const double y : {label, -label}) {
            ASSERT_TRUE(std::isfinite(value(loss, t, y))) << loss_name(loss) << ' ' << t << ' ' << y;
            ASSERT_TRUE(std::isfinite(derivative(loss, t, y))) << loss_name(loss) << ' ' << t << ' ' << y;
            for (const double kappa : hostile) {
              ASSERT_TRUE(std::isfinite(implicit_slope(loss, t, y, kappa)))
                  << loss_name(loss) << ' ' << t << ' ' << y << ' ' << kappa;
            }
          }
        }
      }
    }
  }
}

TEST(Loss, PassesNotANumberOn) {
  for (const Loss& loss : all_losses()) {
    EXPECT_TRUE(std::isnan(derivative(loss, kNan, 1))) << loss_name(loss);
    EXPECT_TRUE(std::isnan(derivative(loss, 1, kNan))) << loss_name(loss);
    EXPECT_TRUE(std::isnan(derivative(loss, kNan, kNan))) << loss_name(loss);
    EXPECT_TRUE(std::isnan(implicit_slope(loss, kNan, 1, 0.5))) << loss_name(loss);
    EXPECT_TRUE(std::isnan(implicit_slope(loss, 1, kNan, 0.5))) << loss_name(loss);
    EXPECT_TRUE(std::isnan(value(loss, kNan, 1))) << loss_name(loss);
  }
}

TEST(Loss, OnlyTheSignOfAClassLabelCounts) {
  for (const Loss& loss : all_losses()) {
    if (!reference::is_classification(loss)) continue;
    for (const double t : {-2.0, 0.0, 0.5, 3.0}) {
      for (const double y : {1e-300, 2.0, 1e308}) {
        EXPECT_EQ(derivative(loss, t, y), derivative(loss, t, 1));
        EXPECT_EQ(value(loss, t, -y), value(loss, t, -1));
        EXPECT_EQ(implicit_slope(loss, t, y, 3), implicit_slope(loss, t, 1, 3));
      }
      EXPECT_EQ(derivative(loss, t, 0), derivative(loss, t, -1));
    }
  }
}

#if defined(__x86_64__)
template <class L>
__attribute__((noinline, target("avx2,fma"))) void derivatives_by_vectors(const L& loss, const std::vector<double>& t,
                                                                          const std::vector<double>& y,
                                                                          std::vector<double>& result) {
  for (std::size_t i = 0; i < t.size(); ++i) result[i] = loss.derivative(t[i], y[i]);
}

TEST(Loss, DerivativesInAVectorLoopHaveTheSameBits) {
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) GTEST_SKIP();
  std::vector<double> t, y;
  for (int i = -4000; i < 4000; ++i) {
    t.push_back(0.2501 * i + 0.01);
    y.push_back(i % 3 == 0 ? 1 : (i % 3 == 1 ? -1 : 0.01 * i));
  }
  t.back() = kNan;
  for (const Loss& loss : all_losses()) {
    std::vector<double> result(t.size());
    std::visit([&](const auto& l) { derivatives_by_vectors(l, t, y, result); }, loss);
    for (std::size_t i = 0; i + 1 < t.size(); ++i)
      ASSERT_EQ(result[i], derivative(loss, t[i], y[i])) << loss_name(loss);
    EXPECT_TRUE(std::isnan(result.back())) << loss_name(loss);
  }
}
#endif

}  // namespace
}  // namespace tailcoat
