// Where the gradients of a descent point to together, against the last iterate, and whether stated errors are true.
#include "tailcoat/estimators/settle.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "fitting.hpp"

namespace tailcoat {
namespace {

constexpr std::size_t kRows = 4000;

// Standard normal rows with a constant, and least squares of the labels on them.
struct Sample {
  std::vector<double> rows, labels;
  Eigen::Vector3d truth;

  explicit Sample(std::uint64_t seed) {
    Random random(seed);
    for (std::size_t i = 0; i < kRows; ++i) {
      const double a = normal(random), b = normal(random);
      rows.insert(rows.end(), {a, b, 1});
      labels.push_back(2 - a + 0.5 * b + 0.5 * normal(random));
    }
    const Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, 3, Eigen::RowMajor>> x(rows.data(), kRows, 3);
    const Eigen::Map<const Eigen::VectorXd> y(labels.data(), kRows);
    truth = (x.transpose() * x).ldlt().solve(x.transpose() * y);
  }
};

struct Fitted {
  Descent descent;
  Settled settled;
};

Fitted run_of(const Sample& sample, const Loss& loss, std::uint64_t seed,
              const Whitening& whitening = no_whitening(3)) {
  Engine engine(1);
  BitSource noise = BitSource::insecure_seeded(seed);
  auto meter = *PrivacyMeter::open(Gdp{0.2});
  const auto data = *engine.load(RowsOf<double>{sample.rows.data(), kRows, 3, 3}, sample.labels);
  const DescentBudget budget{.gradients = meter.share(0.9), .clips = meter.share(0.1)};
  auto descent = *descend({engine, noise}, {meter, noise}, data, loss, {.x = {0, 0, 0}, .labelled = kRows}, budget, {},
                          [] { return true; });
  auto settled = *settle(descent, whitening, data, Gdp{0}, {engine, noise}, {meter, noise});
  return {std::move(descent), std::move(settled)};
}

// Sums of 180 squares each: ratios are within 40 % of what they are in the mean but for 1 in 10^3, and seeds are fixed.
TEST(Settle, IsNearerThanTheLastIterateAndAsNearAsItSays) {
  double last = 0, settled = 0, claimed = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const Sample sample(seed);
    const Fitted run = run_of(sample, SquaredLoss{}, seed);
    last += (Eigen::Map<const Eigen::Vector3d>(run.descent.x.data()) - sample.truth).squaredNorm();
    settled += (run.settled.values - sample.truth).squaredNorm();
    claimed += run.settled.errors.noise.trace();
    EXPECT_EQ(run.settled.errors.unlearned.rows(), 3);
  }
  EXPECT_LT(settled, 0.6 * last);
  EXPECT_NEAR(settled / claimed, 1, 0.4);
}

// One release cannot be better than one gradient with all of its budget; eight of sixteen are not much worse.
TEST(Settle, HasLittleMoreNoiseThanOneGradientForAll) {
  const Fitted run = run_of(Sample(1), SquaredLoss{}, 1);
  double precision = 0;
  for (const Sight& sight : run.descent.sights) precision += std::pow(sight.noise, -2);
  ASSERT_GE(run.descent.sights.size(), 8u);
  for (Eigen::Index j = 0; j < 3; ++j) {
    EXPECT_GE(run.settled.errors.noise(j, j), 0.999 / precision);
    EXPECT_LE(run.settled.errors.noise(j, j), 1.2 / precision);
  }
}

// A density at a kink is no curvature to divide by, and rates change theirs on the way.
TEST(Settle, StaysAtTheLastIterateOfOtherLosses) {
  const Sample sample(2);
  for (const Loss& loss : {Loss{AbsoluteLoss{}}, Loss{QuantileLoss{0.3}}}) {
    const Fitted run = run_of(sample, loss, 2);
    EXPECT_TRUE(run.settled.values.isApprox(Eigen::Map<const Eigen::Vector3d>(run.descent.x.data()), 1e-12))
        << loss_name(loss);
  }
}

// A curvature of 1 with a deviation of 0.4 may be anything.
TEST(Settle, DividesByNoCurvatureThatIsNotKnown) {
  Whitening whitening = no_whitening(3);
  for (const bool known : {true, false}) {
    whitening.noise = known ? 0.3 : 0.4;
    const Fitted run = run_of(Sample(2), SquaredLoss{}, 2, whitening);
    EXPECT_NE(run.settled.values.isApprox(Eigen::Map<const Eigen::Vector3d>(run.descent.x.data()), 1e-12), known);
  }
}

// Gradients with another clip are those of another loss.
TEST(Settle, LooksAtGradientsOfTheLastClipAlone) {
  const Fitted run = run_of(Sample(3), SquaredLoss{}, 3);
  const Descent& descent = run.descent;
  ASSERT_LE(descent.sights.size(), descent.noise.size());
  for (std::size_t i = 0; i < descent.sights.size(); ++i) {
    const std::size_t t = descent.noise.size() - descent.sights.size() + i;
    EXPECT_EQ(descent.sights[i].noise, descent.noise[t]);
  }
  // The noise of a step falls by sqrt(0.95) with one clip, and by more where the clip falls.
  for (std::size_t i = 1; i < descent.sights.size(); ++i)
    EXPECT_NEAR(descent.sights[i].noise / descent.sights[i - 1].noise, std::sqrt(0.95), 1e-3);
}

// Of two columns that say nearly the same, noise hides by what they differ, and a descent does not come to it.
TEST(Settle, IntervalsHoldWhatWasNotLearned) {
  int held = 0, narrow = 0;
  constexpr int kFits = 40;
  for (int seed = 1; seed <= kFits; ++seed) {
    const auto table = [seed] {
      return simulated({{.name = "a"}, {.name = "b"}, {.name = "c"}, {.name = "y"}}, 4000,
                       static_cast<std::uint64_t>(seed), [](Random& random) {
                         const double a = normal(random), b = a + 0.25 * normal(random), c = normal(random);
                         return std::vector{a, b, c, 2 * a - b + c + 0.5 * normal(random)};
                       });
    };
    const FitOptions options{.target = "y", .budget = {1, 1e-6}, .straight = true};
    const auto fit = fitted(table(), options, static_cast<std::uint64_t>(seed));
    ASSERT_TRUE(fit.ok()) << fit.error().message;
    auto found = estimates(fit->model);
    for (const auto& [name, slope] : Truth{{"a", 2}, {"b", -1}, {"c", 1}})
      held += found[name].low < slope && slope < found[name].high ? 1 : 0;
    narrow += found["c"].standard_error < found["a"].standard_error / 2 ? 1 : 0;
  }
  EXPECT_GE(held, 108) << "of 120";
  EXPECT_EQ(narrow, kFits) << "a column of its own is known better";
}

}  // namespace
}  // namespace tailcoat
