// Whole runs on neighbouring data sets with the same randomness, for the algorithms that release clipped gradients. The
// losses are linear, so that a step does not depend on where it is taken, and the callback sees every iterate: before
// the replaced sample is read nothing differs, and then iterates part by what the claimed sensitivity lets each step
// move, nearly that much in the worst case (a factor 2 less would fail).
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include "heavy_tails.hpp"
#include "tailcoat/algorithms/clipped_dp_sgd.hpp"
#include "tailcoat/algorithms/dp_sgd.hpp"
#include "tailcoat/algorithms/kamath_liu_zhang.hpp"
#include "tailcoat/algorithms/localized.hpp"
#include "tailcoat/algorithms/lowy_razaviyayn.hpp"

namespace tailcoat {
namespace {

constexpr std::size_t kRows = 64, kColumns = 2;
constexpr int kPairs = 1000;
constexpr Moments kMoments{3, 1.6, 2.5};

using Values = std::vector<double>;
using Trajectories =
    std::vector<std::vector<std::vector<double>>>;  // the points at which each row's gradient was asked

using Solver = std::function<Result<Solution>(RunContext, const Problem&)>;

Setting setting_here() {
  const SampleGradient none = [](std::size_t, auto, auto) {};
  return setting_of({.samples = {kRows, kColumns, {.gradient = none}}, .domain = unit_ball(kColumns)}, kMoments);
}

Trajectories traced(const Values& values, std::uint64_t seed, const Solver& run) {
  Engine engine(1);
  Trajectories result(kRows);
  const SampleGradient gradient = [&](std::size_t row, std::span<const double> x, std::span<double> g) {
    result[row].emplace_back(x.begin(), x.end());
    std::copy_n(values.data() + row * kColumns, kColumns, g.data());
  };
  BitSource noise = BitSource::insecure_seeded(seed);
  const auto solution =
      run({engine, noise}, {.samples = {kRows, kColumns, {.gradient = gradient}}, .domain = unit_ball(kColumns)});
  EXPECT_TRUE(solution.ok()) << solution.error().message;
  return result;
}

double hostile(std::mt19937_64& random) {
  const double sizes[] = {5e-324,
                          1e-3,
                          1,
                          1e3,
                          1e200,
                          std::numeric_limits<double>::max(),
                          std::numeric_limits<double>::infinity(),
                          std::numeric_limits<double>::quiet_NaN()};
  return (random() % 2 == 0 ? 1 : -1) * sizes[random() % std::size(sizes)];
}

struct Pair {
  Values one, other;
  std::size_t replaced;
};

// Every other pair is the worst case: a huge record and its opposite.
Pair neighbours(std::mt19937_64& random) {
  Pair pair{.one = {}, .other = {}, .replaced = random() % kRows};
  for (std::size_t i = 0; i < kRows * kColumns; ++i) pair.one.push_back(0.3 * std::normal_distribution<>()(random));
  pair.other = pair.one;
  const bool worst = random() % 2 == 0;
  for (std::size_t j = 0; j < kColumns; ++j) {
    double& mine = pair.one[pair.replaced * kColumns + j];
    mine = worst ? (random() % 2 == 0 ? 1e9 : -1e9) : hostile(random);
    pair.other[pair.replaced * kColumns + j] = worst ? -mine : hostile(random);
  }
  return pair;
}

double apart(std::span<const double> x, std::span<const double> y) { return std::sqrt(squared_distance(x, y)); }

// One solve: the rows it reads, and how far two of its runs may be apart after each step, step 0 being the start.
struct Solve {
  std::size_t first, rows;
  std::vector<double> apart;
};

// Solves that read the same rows, or start together, form a group; what a later group does may differ.
struct Group {
  std::vector<Solve> solves;
};

// The largest share of what was allowed.
double checked_share(const std::vector<Group>& groups, const Pair& pair, const Trajectories& one,
                     const Trajectories& other) {
  double most = 0;
  for (const Group& group : groups) {
    bool reached = false;
    for (const Solve& solve : group.solves) {
      const bool own = pair.replaced >= solve.first && pair.replaced < solve.first + solve.rows;
      reached = reached || own;
      for (std::size_t row = solve.first; row < solve.first + solve.rows; ++row) {
        EXPECT_EQ(one[row].size(), other[row].size());
        if (!own) {
          EXPECT_EQ(one[row], other[row]) << "a block that does not hold the replaced sample";
          continue;
        }
        for (std::size_t t = 0; t < one[row].size() && t < solve.apart.size(); ++t) {
          const double distance = apart(one[row][t], other[row][t]);
          EXPECT_LE(distance, solve.apart[t] * (1 + 1e-6) + 1e-12) << "step " << t;
          if (solve.apart[t] > 0) most = std::max(most, distance / solve.apart[t]);
        }
      }
    }
    if (reached) return most;  // later groups start elsewhere
  }
  return most;
}

// d_0 = 0, d_{t+1} = next(t, d_t).
std::vector<double> drift(std::size_t steps, const std::function<double(double, double)>& next) {
  std::vector<double> result = {0};
  for (std::size_t t = 0; t < steps; ++t) result.push_back(next(static_cast<double>(t), result.back()));
  return result;
}

// Two runs of solve_clipped on `rows` rows, all of them read in each step.
std::vector<double> clipped_drift(const ClippedDescent& descent, std::size_t rows) {
  const double pull = 2 * descent.clip / static_cast<double>(rows), factor = descent.rule == Constants::paper ? 4 : 1;
  return drift(descent.steps, [&](double t, double d) {
    const double eta = factor / (descent.lambda * (t + 1));
    return (d + eta * pull) / (1 + eta * descent.lambda);
  });
}

using Pairs = std::function<Pair(std::mt19937_64&)>;

void expect_coupled(const std::vector<Group>& groups, const Solver& run, const Pairs& pairs = neighbours,
                    int count = kPairs) {
  std::mt19937_64 random(1);
  double most = 0;
  for (int trial = 0; trial < count; ++trial) {
    const Pair pair = pairs(random);
    const std::uint64_t noise = random();
    most = std::max(most, checked_share(groups, pair, traced(pair.one, noise, run), traced(pair.other, noise, run)));
    if (testing::Test::HasFailure()) return;
  }
  EXPECT_GT(most, 0.95);
}

TEST(CoupledRuns, ClippedDpSgdIteratesPartByItsSensitivity) {
  for (const Constants constants : {Constants::tight, Constants::paper}) {
    const Options options{.constants = constants, .max_passes = 4};
    const ClippedDescent descent = plan_clipped_dp_sgd(setting_here(), Gdp{0.2}, options)->descent;
    ASSERT_EQ(descent.batches, 1u);
    ASSERT_GT(descent.steps, 2u);
    const std::vector<Group> groups = {{{{0, kRows, clipped_drift(descent, kRows)}}}};
    expect_coupled(groups, [&](RunContext context, const Problem& problem) {
      return clipped_dp_sgd(context, problem, kMoments, Gdp{0.2}, options);
    });
  }
}

// By how much a step may differ is tested where it is drawn (SampledGradients): here, that nothing differs before the
// block of the replaced sample is read, nor in blocks beside it.
TEST(CoupledRuns, LocalizedBlocksDoNotSeeEachOther) {
  std::size_t most_copies = 0, most_phases = 0;
  for (const auto& [budget, failure] : {std::pair{ApproxDp{30, 1e-3}, 0.0}, std::pair{ApproxDp{8, 1e-3}, 1e-6}}) {
    const Options options{.failure_probability = failure};
    const auto plan = tight_plan(setting_here(), budget, options);
    ASSERT_TRUE(plan.ok()) << plan.error().message;
    ASSERT_EQ(plan->runs, 1u);
    std::vector<Group> groups;
    std::size_t row = 0;
    most_phases = std::max(most_phases, plan->phases.size());
    for (const LocalizedPhase& phase : plan->phases) {
      most_copies = std::max(most_copies, phase.copies);
      Group& group = groups.emplace_back();
      for (std::size_t j = 0; j < phase.copies; ++j, row += phase.rows) group.solves.push_back({row, phase.rows, {}});
    }
    std::mt19937_64 random(1);
    for (int trial = 0; trial < 12; ++trial) {  // planning takes longer than the runs
      const Pair pair = neighbours(random);
      const std::uint64_t noise = random();
      const Solver run = [&, with = budget](RunContext context, const Problem& problem) {
        return localized(context, problem, kMoments, with, options);
      };
      checked_share(groups, pair, traced(pair.one, noise, run), traced(pair.other, noise, run));
      ASSERT_FALSE(testing::Test::HasFailure());
    }
  }
  EXPECT_GT(most_copies, 1u);
  EXPECT_GT(most_phases, 1u);
}

TEST(CoupledRuns, LowyRazaviyaynPhasesPartByTheirSensitivity) {
  for (const Constants constants : {Constants::tight, Constants::paper}) {
    const Options options{.constants = constants, .max_passes = 4};
    std::vector<Group> groups;
    std::size_t row = 0;
    const auto plan = *plan_lowy_razaviyayn(setting_here(), Gdp{2}, options);
    for (const LowyRazaviyaynPhase& phase : plan.phases) {
      const double pull = 2 * phase.clip / static_cast<double>(phase.rows);
      groups.push_back({{{row, phase.rows, drift(phase.steps, [&](double, double d) {
                            return std::abs(1 - phase.step * phase.lambda) * d + phase.step * pull;
                          })}}});
      row += phase.rows;
    }
    expect_coupled(groups, [&](RunContext context, const Problem& problem) {
      return lowy_razaviyayn(context, problem, kMoments, Gdp{2}, options);
    });
  }
}

// As many groups pull one way as the other with all they have, and the replaced sample decides the median.
Pair even_groups(std::size_t groups, std::mt19937_64& random) {
  const std::size_t rows = kRows / groups, middle = random() % groups;
  Pair pair{.one = Values(kRows * kColumns, 1e9), .other = {}, .replaced = middle * rows + random() % rows};
  std::size_t below = (groups - 1) / 2;
  for (std::size_t group = 0; group < groups; ++group) {
    const double value = group == middle ? 0 : below > 0 ? -1e9 : 1e9;
    below -= group != middle && below > 0 ? 1 : 0;
    std::fill_n(pair.one.begin() + static_cast<std::ptrdiff_t>(group * rows * kColumns), rows * kColumns, value);
  }
  pair.other = pair.one;
  for (std::size_t j = 0; j < kColumns; ++j) {
    pair.one[pair.replaced * kColumns + j] = 1e9;
    pair.other[pair.replaced * kColumns + j] = -1e9;
  }
  return pair;
}

TEST(CoupledRuns, KamathLiuZhangIteratesPartByTheirSensitivity) {
  const Options options{.max_passes = 4};
  const auto plan = *plan_kamath_liu_zhang(setting_here(), Gdp{20}, options);
  ASSERT_GT(plan.steps, 2u);
  const double pull =
      2 * plan.clip * std::sqrt(static_cast<double>(kColumns)) / static_cast<double>(kRows / plan.groups);
  const std::vector<Group> groups = {
      {{{0, kRows, drift(plan.steps, [&](double, double d) { return d + plan.step * pull; })}}}};
  const Solver run = [&](RunContext context, const Problem& problem) {
    return kamath_liu_zhang(context, problem, kMoments, Gdp{20}, options);
  };
  expect_coupled(groups, run, [&](std::mt19937_64& random) {
    return random() % 2 == 0 ? neighbours(random) : even_groups(plan.groups, random);
  });
}

TEST(CoupledRuns, DpSgdIteratesPartByTheirSensitivity) {
  const Options options{.max_passes = 4};
  const auto plan = *plan_dp_sgd(setting_here(), Gdp{2}, options);
  const double pull = 2 * plan.clip / static_cast<double>(kRows);
  const std::vector<Group> groups = {
      {{{0, kRows, drift(plan.steps, [&](double, double d) { return d + plan.step * pull; })}}}};
  expect_coupled(groups, [&](RunContext context, const Problem& problem) {
    return dp_sgd(context, problem, kMoments, Gdp{2}, options);
  });
}

}  // namespace
}  // namespace tailcoat
