// Certificates against the noise that a run has drawn, as its receipt says, and against the inequality of each proof,
// summed anew: the plan promises no less than that, and hardly more.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "problems.hpp"
#include "tailcoat/algorithms/catalogue.hpp"
#include "tailcoat/algorithms/implicit_glm.hpp"
#include "tailcoat/algorithms/known_lipschitz.hpp"
#include "tailcoat/algorithms/known_lipschitz_gd.hpp"
#include "tailcoat/algorithms/known_lipschitz_sgd.hpp"
#include "tailcoat/algorithms/one_pass_glm.hpp"
#include "tailcoat/algorithms/rates.hpp"

namespace tailcoat {
namespace {

constexpr Moments kMoments{3, 1.6, 2.5};

std::vector<Release> gaussian_releases(const Receipt& receipt) {
  std::vector<Release> releases;
  for (const ReceiptLine& line : receipt.lines)
    if (line.release.mechanism == "gaussian") releases.push_back(line.release);
  return releases;
}

// Logistic regression with d features.
struct Example {
  TestData data;
  Engine engine{1};
  LabelledData loaded;
  Problem problem;

  Example(std::size_t n, std::size_t d)
      : data(heavy_tailed_data(n, d, 1)),
        loaded(data.load(engine)),
        problem{Samples(loaded, LogisticLoss{}), ball(d, 1), 4} {}
  [[nodiscard]] Setting setting() const { return setting_of(problem, kMoments); }
  template <class Solve>
  Solution solved(const Solve& solve, Gdp budget, const Options& options) {
    BitSource noise = BitSource::insecure_seeded(1);
    auto solution = solve(RunContext{engine, noise}, problem, kMoments, budget, options);
    EXPECT_TRUE(solution.ok()) << solution.error().message;
    return *std::move(solution);
  }
};

// The phases of a plan with the error that the noise on the minimisers of a run leaves. A minimiser is as far off as
// its sensitivity exceeds that of exact ones, 2 C / (lambda n), shared by the two of neighbours.
std::vector<ErmPhase> as_drawn(const ErmPlan& plan, std::size_t dimension, const std::vector<Release>& releases) {
  std::vector<ErmPhase> phases = plan.phases;
  for (std::size_t i = 0; i < phases.size(); ++i) {
    const double unit = plan.clip / phases[i].weight, n = static_cast<double>(phases[i].rows);
    const double miss = (releases[i].sensitivity - 2 * unit / n) / 2, noise = releases[i].noise_scale;
    phases[i].error.noise = (static_cast<double>(dimension) * noise * noise + miss * miss) / (unit * unit);
  }
  return phases;
}

TEST(Certificates, KnownLipschitzPlansNoLessThanItsNoise) {
  for (const std::size_t d : {1u, 20u}) {
    for (const double mu : {0.1, 3.0}) {
      for (const Constants constants : {Constants::tight, Constants::paper}) {
        Example example(2000, d);
        const Options options{.constants = constants};
        const auto plan = *plan_known_lipschitz(example.setting(), Gdp{mu}, options);
        const Solution solution = example.solved(known_lipschitz, Gdp{mu}, options);
        const std::vector<Release> releases = gaussian_releases(solution.receipt);
        ASSERT_EQ(releases.size(), plan.phases.size());
        const double drawn = erm_bound(example.setting(), plan.clip, as_drawn(plan, d, releases));
        EXPECT_GE(solution.certified.excess_risk, drawn * (1 - 1e-12));
        EXPECT_LE(solution.certified.excess_risk, plan.bound.excess_risk) << "the plan's slack is too small";
        EXPECT_LE(plan.bound.excess_risk, drawn * 1.002) << "the plan's slack is too large";
      }
    }
  }
}

// (t + 1)^2 E |x_t - y|^2 grows by (2 G)^2 + d s^2 in a step, from G^2, in units of 1 / lambda^2:
// known_lipschitz_gd.md.
TEST(Certificates, KnownLipschitzGdCountsTwoGradientsInEachStep) {
  for (const double passes : {1.0, 7.0, 300.0}) {
    Example example(2000, 3);
    const Options options{.max_passes = passes};
    const auto plan = *plan_known_lipschitz_gd(example.setting(), Gdp{3}, options);
    const Solution solution = example.solved(known_lipschitz_gd, Gdp{3}, options);
    const std::vector<Release> releases = gaussian_releases(solution.receipt);
    std::size_t next = 0;
    for (const ErmPhase& phase : plan.phases) {
      double squares = 1, noise = 0;  // of G_2^2 and of C^2
      for (std::size_t t = 0; t < phase.error.steps; ++t, ++next) {
        squares += 4;
        noise += 3 * std::pow(releases.at(next).noise_scale / (static_cast<double>(phase.rows) * plan.clip), 2);
      }
      const double after = std::pow(static_cast<double>(phase.error.steps) + 1, 2);
      EXPECT_NEAR(phase.error.descent, squares / after, 1e-12 * squares / after);
      EXPECT_NEAR(phase.error.noise * after / noise, 1, 1e-6);  // rounding to the lattice takes 3e-7
    }
    EXPECT_EQ(next, releases.size());
    EXPECT_EQ(solution.certified.excess_risk, erm_bound(example.setting(), plan.clip, plan.phases));
  }
}

// Averages of phases: the sensitivity is 2 eta C (1 - 1/n) and the bound counts on 2 eta C.
TEST(Certificates, PhasedPlansCountOnNoLessThanTheirNoise) {
  const Gdp budget{0.5};
  Example example(4000, 3);
  const auto check = [&](const PhasedPlan& plan, double bias, const Solution& solution) {
    const std::vector<Release> releases = gaussian_releases(solution.receipt);
    ASSERT_EQ(releases.size(), plan.phases.size());
    for (std::size_t i = 0; i < releases.size(); ++i) {
      const OnePass& pass = plan.phases[i].pass;
      const double counted = 2 * pass.step * pass.clip / budget.mu;
      EXPECT_LE(releases[i].noise_scale, counted);
      EXPECT_GE(releases[i].noise_scale, counted * (1 - 1.01 / static_cast<double>(plan.phases[i].rows)));
    }
    const double bound = phased_bound(example.setting(), budget, plan.phases, bias);
    EXPECT_NEAR(plan.bound.excess_risk, bound, 1e-9 * bound);
    EXPECT_EQ(solution.certified.excess_risk, plan.bound.excess_risk);
  };
  const PhasedPlan implicit = *plan_implicit_glm(example.setting(), budget, {});
  check(implicit, clip_bias(kMoments, implicit.phases[0].pass.clip), example.solved(implicit_glm, budget, {}));
  const PhasedPlan one_pass = *plan_one_pass_glm(example.setting(), budget, {});
  check(one_pass, clip_bias(kMoments, one_pass.phases[0].pass.clip), example.solved(one_pass_glm, budget, {}));
  const PhasedPlan sgd = *plan_known_lipschitz_sgd(example.setting(), budget, {});
  check(sgd, drop_bias(kMoments, sgd.phases[0].pass.clip), example.solved(known_lipschitz_sgd, budget, {}));
}

// Floats and the lattice may ask for more noise than the proofs do: plans leave room for it.
TEST(Certificates, NoRunCertifiesMoreThanWasPlanned) {
  struct Trial {
    std::size_t rows;
    double smoothness, epsilon;
  };
  int ran = 0;
  for (const auto& [rows, smoothness, epsilon] : {Trial{500, 4, 8}, Trial{20'000, 0.02, 8}, Trial{20'000, 0.2, 2}}) {
    Example example(rows, 2);
    example.problem.smoothness = smoothness;
    for (const Algorithm& algorithm : algorithms()) {
      const Options options{.max_passes = 3};
      const ApproxDp budget{epsilon, 1e-6};
      const auto plan = algorithm.plan(example.setting(), budget, options);
      if (!plan.ok()) continue;
      BitSource noise = BitSource::insecure_seeded(1);
      const auto solution = algorithm.solve({example.engine, noise}, example.problem, kMoments, budget, options);
      ASSERT_TRUE(solution.ok()) << algorithm.name << ": " << solution.error().message;
      EXPECT_LE(solution->certified.excess_risk, plan->bound.excess_risk) << algorithm.name;
      ++ran;
    }
  }
  EXPECT_GE(ran, 30);
}

}  // namespace
}  // namespace tailcoat
