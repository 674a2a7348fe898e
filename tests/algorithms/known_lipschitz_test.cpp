#include "tailcoat/algorithms/known_lipschitz.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "linear_data.hpp"
#include "tailcoat/algorithms/catalogue.hpp"
#include "tailcoat/algorithms/known_lipschitz_gd.hpp"
#include "tailcoat/losses/mean.hpp"
#include "tailcoat/noise/gaussian.hpp"

namespace tailcoat {
namespace {

// The closed form of the document: 4 D sqrt(8 (1.1 C)^2 d / (n^2 rho) + (2/3) G_2^2 / n) + D G_k^k / C^(k-1), D the
// diameter, at the C of the document.
double closed_form(const Setting& setting, double rho) {
  const double n = static_cast<double>(setting.rows), d = static_cast<double>(setting.dimension);
  const auto [k, g2, gk] = setting.moments;
  const double clip = gk * std::pow((k - 1) * n * std::sqrt(rho) / (8 * std::sqrt(2.0) * std::sqrt(d)), 1 / k);
  return 4 * setting.diameter * std::sqrt(8 * 1.21 * clip * clip * d / (n * n * rho) + 2 * g2 * g2 / (3 * n)) +
         setting.diameter * drop_bias(setting.moments, clip);
}

TEST(KnownLipschitz, BoundIsBelowItsClosedForm) {
  for (const double k : {2.0, 3.0, 4.0}) {
    for (const std::size_t n : {1u << 12, 1u << 16, 1u << 20}) {
      Setting setting = example(n, k);
      setting.start_distance = setting.diameter;
      const auto plan = plan_known_lipschitz(setting, budget_of(0.1), {});
      ASSERT_TRUE(plan.ok()) << plan.error().message;
      EXPECT_LT(plan->bound.excess_risk, 1.02 * closed_form(setting, 0.1));
      EXPECT_GT(plan->bound.excess_risk, 0.3 * closed_form(setting, 0.1));
    }
  }
}

TEST(KnownLipschitz, TightConstantsAreNeverWorseThanStatedOnes) {
  for (const auto plan : {plan_known_lipschitz, plan_known_lipschitz_gd}) {
    for (const std::size_t n : {1u << 10, 1u << 16}) {
      const auto tight = plan(example(n), budget_of(0.1), {});
      const auto stated = plan(example(n), budget_of(0.1), {.constants = Constants::paper});
      ASSERT_TRUE(tight.ok() && stated.ok());
      EXPECT_LT(tight->bound.excess_risk, stated->bound.excess_risk);
    }
  }
}

TEST(KnownLipschitz, StatedClipIsThatOfTheoremTwo) {
  const auto plan = plan_known_lipschitz(example(1 << 16), budget_of(0.1), {.constants = Constants::paper});
  EXPECT_NEAR(plan->clip, 2.5 * std::pow(65536 * std::sqrt(0.1 / 20), 1.0 / 3), 1e-9);
  EXPECT_EQ(plan->phases[0].rows, 1u << 15);
  EXPECT_NEAR(plan->phases[1].weight / plan->phases[0].weight, 8, 1e-12);
}

// Strongly convex: 1.21 * 64 L^2 d / (mu n^2 rho) + 5.34 G_2^2 / (mu n) and lower-order terms.
TEST(KnownLipschitz, StronglyConvexBoundIsBelowItsClosedForm) {
  for (const std::size_t n : {1u << 14, 1u << 18}) {
    Setting setting = example(n);
    setting.strong_convexity = 0.5;
    const auto plan = plan_known_lipschitz(setting, budget_of(0.1), {});
    const auto stated = plan_known_lipschitz(setting, budget_of(0.1), {.constants = Constants::paper});
    ASSERT_TRUE(plan.ok() && stated.ok());
    const double nd = static_cast<double>(n), clip = stated->clip;
    const double error = 5.34 * 1.6 * 1.6 / (0.5 * nd) + 1.3 * 64 * clip * clip * 20 / (0.5 * nd * nd * 0.1);
    const double b = drop_bias(setting.moments, clip) + 0.5 * std::pow(2.5 / clip, 3);
    EXPECT_LT(stated->bound.excess_risk, error + b * (b / 0.5 + std::sqrt(2 * error / 0.5)));
    EXPECT_LT(plan->bound.excess_risk, stated->bound.excess_risk);
  }
}

// Erratum E8: with C below mu r the dummy would be steeper than what the noise is for.
TEST(KnownLipschitz, ErratumE8TheClipIsNeverBelowTheSlopeOfTheDummy) {
  for (const Constants constants : {Constants::tight, Constants::paper}) {
    Setting setting = example(64);
    setting.strong_convexity = 100;
    setting.smoothness = 200;
    const auto plan = plan_known_lipschitz(setting, budget_of(1e-4), {.constants = constants});
    ASSERT_TRUE(plan.ok());
    EXPECT_GE(plan->clip, 100 * setting.start_distance);
  }
}

TEST(KnownLipschitz, RefusesTooFewRows) { EXPECT_FALSE(plan_known_lipschitz(example(3), budget_of(0.1), {}).ok()); }

TEST(KnownLipschitz, MeasuredExcessIsWithinTheCertifiedBound) {
  Engine engine(1);
  for (const char* name : {"known-lipschitz", "known-lipschitz-gd", "known-lipschitz-sgd"}) {
    const Algorithm algorithm = *find_algorithm(name);
    for (const Constants constants : {Constants::tight, Constants::paper}) {
      double excess = 0, certified = 0;
      constexpr int kRuns = 10;
      for (int seed = 0; seed < kRuns; ++seed) {
        const LinearData made(4096, 5, static_cast<std::uint64_t>(seed));
        const auto data = *made.load(engine);
        BitSource noise = BitSource::insecure_seeded(static_cast<std::uint64_t>(seed));
        const auto solution =
            algorithm.solve({engine, noise}, {Samples(data, LinearLoss{}), made.domain, 1}, kLinearMoments,
                            budget_of(0.5), {.constants = constants, .max_passes = 50});
        ASSERT_TRUE(solution.ok()) << name << ": " << solution.error().message;
        excess += made.excess(solution->x) / kRuns;
        certified = solution->certified.excess_risk;
      }
      EXPECT_LT(excess, certified) << name;
      EXPECT_LT(excess, 0.3) << name << ": no better than the start";
    }
  }
}

Samples mean_samples(const std::vector<double>& points, std::size_t d) {
  return {points.size() / d,
          d,
          {.gradient = [&points](std::size_t row, std::span<const double> x, std::span<double> gradient) {
            MeanLoss{}.gradient(x, {&points[row * x.size()], x.size()}, gradient);
          }}};
}

// The mean of heavy-tailed vectors: |x - s|^2 / 2 is 1-smooth and 1-strongly convex, excess |x - mean|^2 / 2.
TEST(KnownLipschitz, MeasuredExcessOfAMeanIsWithinTheStronglyConvexBound) {
  Engine engine(1);
  const std::size_t d = 4;
  double excess = 0, certified = 0, convex = 0;
  constexpr int kRuns = 10;
  for (int seed = 0; seed < kRuns; ++seed) {
    const LinearData made(4096, d, static_cast<std::uint64_t>(seed));
    const Moments moments{.k = 3, .g2 = 2.2, .gk = 3.2};
    Problem problem{mean_samples(made.rows, d), made.domain, 1, 1};
    BitSource noise = BitSource::insecure_seeded(static_cast<std::uint64_t>(seed));
    const auto solution = known_lipschitz({engine, noise}, problem, moments, budget_of(0.5), {});
    ASSERT_TRUE(solution.ok()) << solution.error().message;
    for (const double part : solution->x) excess += (part - made.mean()) * (part - made.mean()) / 2 / kRuns;
    certified = solution->certified.excess_risk;
    problem.strong_convexity = 0;
    const auto weaker = known_lipschitz({engine, noise}, problem, moments, budget_of(0.5), {});
    ASSERT_TRUE(weaker.ok()) << weaker.error().message;
    convex = weaker->certified.excess_risk;
  }
  EXPECT_LT(excess, certified);
  EXPECT_LT(certified, convex);
}

TEST(KnownLipschitz, ReceiptsAddUpToTheBudget) {
  Engine engine(1);
  const LinearData made(1 << 14, 20, 1);
  const auto data = *made.load(engine);
  for (const char* name : {"known-lipschitz", "known-lipschitz-gd", "known-lipschitz-sgd"}) {
    BitSource noise = BitSource::insecure_seeded(1);
    const auto solution = (*find_algorithm(name))
                              .solve({engine, noise}, {Samples(data, LinearLoss{}), made.domain, 1}, kLinearMoments,
                                     Gdp{1}, {.max_passes = 20});
    ASSERT_TRUE(solution.ok()) << solution.error().message;
    const Receipt& receipt = solution->receipt;
    EXPECT_EQ(receipt.gaussian_spent.mu, 1);
    EXPECT_EQ(receipt.blocks_not_joined, 0u);
    std::vector<std::pair<std::string, double>> squares;
    for (const ReceiptLine& line : receipt.lines) {
      if (line.block.empty()) continue;
      if (squares.empty() || squares.back().first != line.block) squares.emplace_back(line.block, 0.0);
      squares.back().second += line.price.mu * line.price.mu;
      EXPECT_NEAR(line.release.sensitivity / line.release.noise_scale, line.price.mu, 1e-12);
    }
    EXPECT_GE(squares.size(), 2u) << name;
    for (const auto& [block, square] : squares) {
      EXPECT_LE(square, 1) << name;
      EXPECT_GT(square, 1 - 1e-6) << name << ", block " << block;
    }
  }
}

// Two runs with the same noise on data that differ in a record of the last phase end as far apart as their last
// statistics were, up to the projection.
TEST(KnownLipschitz, NeighboursEndWithinTheSensitivityOfTheLastPhase) {
  Engine engine(1);
  std::mt19937_64 random(1);
  std::student_t_distribution<> heavy(1.5);
  double most = 0;
  for (int trial = 0; trial < 300; ++trial) {
    LinearData made(64, 2, static_cast<std::uint64_t>(trial)), other = made;
    const double size = trial % 3 == 0 ? std::exp(heavy(random)) : 6;
    made.rows[126] = size, other.rows[126] = -size;
    made.rows[127] = other.rows[127] = 0;
    std::vector<double> ends[2], sensitivity;
    for (const LinearData* one : {&made, &other}) {
      const auto data = *one->load(engine);
      BitSource noise = BitSource::insecure_seeded(static_cast<std::uint64_t>(trial));
      const auto solution =
          known_lipschitz({engine, noise}, {Samples(data, LinearLoss{}), made.domain}, kLinearMoments, Gdp{8}, {});
      ASSERT_TRUE(solution.ok());
      ends[one == &other] = solution->x;
      sensitivity.push_back(solution->receipt.lines.back().release.sensitivity);
    }
    const double moved = std::hypot(ends[0][0] - ends[1][0], ends[0][1] - ends[1][1]);
    EXPECT_EQ(sensitivity[0], sensitivity[1]);
    EXPECT_LE(moved, sensitivity[0] * (1 + 1e-9));
    most = std::max(most, moved / sensitivity[0]);
  }
  EXPECT_GT(most, 0.6);
}

}  // namespace
}  // namespace tailcoat
