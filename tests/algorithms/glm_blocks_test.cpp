// The blocks of algorithms on GLMs, whose rows cannot be watched: rows are made such that a later phase would notice
// them and the first does not. With the smoothed hinge loss a marked row has the gradient 0 at the centre of the
// domain, where the first phase starts and stays since all other rows are 0, but not on one side of the centre. The
// noise of the first phase moves the second to a side. So marks in the first block must leave the whole run as it is,
// bit by bit, and the first mark behind it must not.
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "tailcoat/algorithms/catalogue.hpp"
#include "tailcoat/algorithms/implicit_glm.hpp"
#include "tailcoat/algorithms/implicit_glm_adaptive.hpp"
#include "tailcoat/algorithms/known_lipschitz.hpp"
#include "tailcoat/algorithms/known_lipschitz_gd.hpp"
#include "tailcoat/algorithms/known_lipschitz_sgd.hpp"
#include "tailcoat/algorithms/lowy_razaviyayn.hpp"
#include "tailcoat/algorithms/one_pass_glm.hpp"
#include "tailcoat/algorithms/smooth_svt.hpp"

namespace tailcoat {
namespace {

constexpr std::size_t kColumns = 2;
constexpr double kCentre = 10, kSide = 0.5, kWidth = 0.5;  // marked rows have a length of 0.51
constexpr Moments kMoments{4, 1, 1.2};

Domain domain_here() { return *Domain::ball({kCentre, 0}, 1); }

// Margins of (1 + 2^-30) + 0.1 (x_1 - 10) + side x_2, label 1: the loss is flat from 1 on.
void mark(std::vector<double>& rows, std::size_t row, double side) {
  rows[row * kColumns] = (1 + 0x1p-30) / kCentre;
  rows[row * kColumns + 1] = side;
}

struct Trial {
  std::size_t rows;
  double epsilon;
  Options options;
};

// Where it ends if rows first, ..., end - 1 are marked and the others are 0; nothing if the algorithm refuses.
std::vector<double> end_of(const Algorithm& algorithm, const Trial& trial, std::size_t first, std::size_t end,
                           double side) {
  std::vector<double> rows(trial.rows * kColumns, 0.0);
  for (std::size_t row = first; row < end; ++row) mark(rows, row, side);
  Engine engine(1);
  const std::vector<double> labels(trial.rows, 1.0);
  const LabelledData data = *engine.load(RowsOf<double>{rows.data(), trial.rows, kColumns, kColumns}, labels);
  const Problem problem{Samples(data, SmoothedHingeLoss{kWidth}), domain_here(), 0.52 * 0.52 / kWidth};
  BitSource noise = BitSource::insecure_seeded(1);
  const auto solution =
      algorithm.solve({engine, noise}, problem, kMoments, ApproxDp{trial.epsilon, 1e-6}, trial.options);
  return solution.ok() ? solution->x : std::vector<double>();
}

// Marks on either side: the second phase starts on one of them.
bool show(const Algorithm& algorithm, const Trial& trial, std::size_t first, std::size_t end) {
  const std::vector<double> without = end_of(algorithm, trial, 0, 0, 1);
  return end_of(algorithm, trial, first, end, kSide) != without ||
         end_of(algorithm, trial, first, end, -kSide) != without;
}

Setting setting_here(const Trial& trial) {
  return {.rows = trial.rows,
          .dimension = kColumns,
          .diameter = 2,
          .start_distance = 1,
          .moments = kMoments,
          .smoothness = 0.52 * 0.52 / kWidth};
}

// Where the second block starts.
template <auto plan>
std::size_t first_rows(const Trial& trial) {
  return plan(setting_here(trial), ApproxDp{trial.epsilon, 1e-6}, trial.options)->phases.at(0).rows;
}

std::size_t first_rows_adaptive(const Trial& trial) {
  const auto plan = plan_implicit_glm_adaptive(setting_here(trial), ApproxDp{trial.epsilon, 1e-6}, trial.options);
  return plan->phases.at(0).scale_rows + plan->phases.at(0).rows;
}

struct Case {
  const char* name;
  Trial trial;
  std::size_t (*first_rows)(const Trial&);
};

// Solvers of several steps take one here: in the second their own block would be off the centre.
const Case kCases[] = {
    {"one-pass-glm", {2000, 2, {}}, first_rows<plan_one_pass_glm>},
    {"one-pass-glm", {2048, 2, {.constants = Constants::paper}}, first_rows<plan_one_pass_glm>},
    {"implicit-glm", {2000, 2, {}}, first_rows<plan_implicit_glm>},
    {"implicit-glm-adaptive", {20'000, 2, {}}, first_rows_adaptive},
    {"known-lipschitz", {2000, 2, {}}, first_rows<plan_known_lipschitz>},
    {"known-lipschitz-gd",
     {2000, 2, {.constants = Constants::paper, .max_passes = 1}},
     first_rows<plan_known_lipschitz_gd>},
    {"known-lipschitz-sgd", {2000, 2, {}}, first_rows<plan_known_lipschitz_sgd>},
    {"lowy-razaviyayn", {2000, 2, {.constants = Constants::paper, .max_passes = 1}}, first_rows<plan_lowy_razaviyayn>},
    {"smooth-svt", {20'000, 20, {}}, first_rows<plan_smooth_svt>},
};

TEST(GlmBlocks, OnlyTheFirstPhaseReadsTheFirstBlock) {
  for (const Case& test : kCases) {
    const Algorithm algorithm = *find_algorithm(test.name);
    ASSERT_FALSE(end_of(algorithm, test.trial, 0, 0, 1).empty()) << test.name;
    const std::size_t second = test.first_rows(test.trial);
    ASSERT_LT(second, test.trial.rows) << test.name;
    EXPECT_FALSE(show(algorithm, test.trial, 0, second)) << test.name << ": rows of the first block are read again";
    EXPECT_TRUE(show(algorithm, test.trial, second, second + 1)) << test.name << ": the next row is not read";
  }
}

// A new algorithm that is for GLMs only is tested here, too, without knowing its blocks.
TEST(GlmBlocks, EveryAlgorithmForGlmsReadsTheFirstRowInTheFirstPhaseOnly) {
  const SampleFunctions own{.gradient = [](std::size_t, auto, auto g) { std::ranges::fill(g, 0.0); }};
  const std::set<std::string_view> all_rows_at_once = {"objective-perturbation"};
  const Trial trial{20'000, 2, {}};
  int tested = 0;
  for (const Algorithm& algorithm : algorithms()) {
    Engine engine(1);
    BitSource noise = BitSource::insecure_seeded(1);
    const Problem of_own{Samples(trial.rows, kColumns, own), domain_here(), 1};
    const bool takes_both =
        algorithm.solve({engine, noise}, of_own, kMoments, ApproxDp{2, 1e-6}, {.max_passes = 2}).ok();
    if (takes_both || all_rows_at_once.contains(algorithm.name)) continue;
    ASSERT_FALSE(end_of(algorithm, trial, 0, 0, 1).empty()) << algorithm.name;
    EXPECT_FALSE(show(algorithm, trial, 0, 1)) << algorithm.name;
    EXPECT_TRUE(show(algorithm, trial, 1, trial.rows)) << algorithm.name;
    ++tested;
  }
  EXPECT_GE(tested, 4);
}

// implicit-glm-adaptive looks at gradient norms first, on rows of their own: turning those rows round leaves all norms
// as they are, and the pass must not see it. With linear losses a gradient is the row.
TEST(GlmBlocks, RowsForTheScaleAreNotPassedOver) {
  constexpr std::size_t kRows = 20'000;
  const std::size_t scale_rows =
      plan_implicit_glm_adaptive({kRows, 1, 20, 10, kMoments}, Gdp{1}, {})->phases.at(0).scale_rows;
  const auto end_with_turned = [&](std::size_t first, std::size_t end) {
    std::vector<double> rows(kRows), labels(kRows, 1.0);
    for (std::size_t i = 0; i < kRows; ++i)
      rows[i] = (i % 2 == 0 ? 1 : -1) * (0.1 + 0.001 * static_cast<double>(i % 100));
    for (std::size_t i = first; i < end; ++i) rows[i] *= -1;
    Engine engine(1);
    const LabelledData data = *engine.load(RowsOf<double>{rows.data(), kRows, 1, 1}, labels);
    const Problem problem{Samples(data, LinearLoss{}), *Domain::ball({0}, 10)};
    BitSource noise = BitSource::insecure_seeded(1);
    return implicit_glm_adaptive({engine, noise}, problem, kMoments, Gdp{1}, {})->x;
  };
  ASSERT_GT(scale_rows, 1u);
  const std::vector<double> as_it_was = end_with_turned(0, 0);
  EXPECT_EQ(end_with_turned(0, scale_rows), as_it_was);
  EXPECT_NE(end_with_turned(scale_rows, scale_rows + 1), as_it_was);
}

}  // namespace
}  // namespace tailcoat
