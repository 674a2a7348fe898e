// Solves of which one is told the opposite of the truth: the other copies must outvote it, also where it is the first.
// Algorithm 3 and Appendix A are nothing else, and measured excess does not show it, since most first copies are good.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "heavy_tails.hpp"
#include "tailcoat/algorithms/catalogue.hpp"
#include "tailcoat/algorithms/high_probability_sco.hpp"

namespace tailcoat {
namespace {

// f(x) = <e_1, x> on the disc, but for the first copy of the first phase, which is told -e_1.
TEST(AggregatedSolves, HighProbabilityScoOutvotesABadFirstCopy) {
  for (const Constants constants : {Constants::tight, Constants::paper}) {
    const Options options{.constants = constants, .failure_probability = 1e-6};
    constexpr std::size_t kQueries = 100'000;
    std::size_t asked = 0, bad = 0;
    const StochasticProblem problem{.domain = unit_ball(2),
                                    .oracle =
                                        [&](std::span<const double>, std::span<double> g) {
                                          g[0] = asked++ < bad ? -1 : 1;
                                          g[1] = 0;
                                        },
                                    .oracle_norm = 1};
    const auto plan = plan_high_probability_sco(problem, kQueries, options);
    ASSERT_TRUE(plan.ok()) << plan.error().message;
    ASSERT_GE(plan->phases[0].copies, 3u);
    const auto all_good = high_probability_sco(problem, kQueries, options);
    asked = 0;
    bad = plan->phases[0].queries;
    const auto one_bad = high_probability_sco(problem, kQueries, options);
    ASSERT_TRUE(all_good.ok() && one_bad.ok());
    EXPECT_NEAR(one_bad->x[0], all_good->x[0], 1e-9);
    EXPECT_NEAR(one_bad->x[1], all_good->x[1], 1e-9);
  }
}

// Reads of rows in the order of time, and the smallest m such that rows 0, ..., m - 1 are read before all others: the
// first block.
std::size_t first_block(const std::vector<std::size_t>& reads) {
  std::size_t first = 0;
  std::vector<std::size_t> least_after(reads.size() + 1, reads.empty() ? 0 : *std::ranges::max_element(reads) + 1);
  for (std::size_t i = reads.size(); i-- > 0;) least_after[i] = std::min(least_after[i + 1], reads[i]);
  for (std::size_t i = 0; i < reads.size(); ++i) {
    first = std::max(first, reads[i] + 1);
    if (least_after[i + 1] >= first) return first;
  }
  return first;
}

TEST(AggregatedSolves, LocalizedOutvotesABadFirstCopy) {
  constexpr std::size_t kRows = 100'000;
  const auto run = [](std::size_t bad, std::vector<std::size_t>* reads) {
    const SampleFunctions functions{.gradient = [=](std::size_t row, std::span<const double>, std::span<double> g) {
      if (reads != nullptr) reads->push_back(row);
      g[0] = row < bad ? -1 : 1;
      g[1] = 0;
    }};
    Engine engine(1);
    BitSource noise = BitSource::insecure_seeded(1);
    const auto solution = find_algorithm("localized")
                              ->solve({engine, noise}, {Samples(kRows, 2, functions), unit_ball(2)}, {3, 1, 1},
                                      ApproxDp{30, 1e-3}, {.failure_probability = 1e-6, .max_passes = 40});
    EXPECT_TRUE(solution.ok()) << solution.error().message;
    return solution->x;
  };
  std::vector<std::size_t> reads;
  const std::vector<double> all_good = run(0, &reads);
  const std::size_t bad = first_block(reads);
  ASSERT_LT(bad, kRows / 6) << "several copies on disjoint rows";
  EXPECT_LT(all_good[0], -0.9);
  EXPECT_LT(run(bad, nullptr)[0], -0.9);
}

}  // namespace
}  // namespace tailcoat
