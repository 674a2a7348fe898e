// Algorithms that take fresh rows in each of several phases, whole runs, for every algorithm of the catalogue: what a
// record moves is released by one phase only, given what was released before. For that its row must be read in one
// phase only, and before that nothing may depend on it. Losses of the user's own tell when they are asked for which
// row. GLMs do not: for them the rows of the first phase are such that only a later phase would notice them.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "problems.hpp"
#include "tailcoat/algorithms/catalogue.hpp"
#include "tailcoat/algorithms/implicit_glm.hpp"
#include "tailcoat/algorithms/implicit_glm_adaptive.hpp"
#include "tailcoat/algorithms/known_lipschitz.hpp"
#include "tailcoat/algorithms/known_lipschitz_gd.hpp"
#include "tailcoat/algorithms/known_lipschitz_sgd.hpp"
#include "tailcoat/algorithms/lowy_razaviyayn.hpp"
#include "tailcoat/algorithms/one_pass_glm.hpp"
#include "tailcoat/algorithms/smooth_svt.hpp"
#include "tailcoat/losses/mean.hpp"

namespace tailcoat {
namespace {

// ---- Losses of the user's own: the mean of points in a disc, |x - s|^2 / 2.

constexpr std::size_t kColumns = 2;
constexpr Moments kMeanMoments{3, 2.5, 3};

struct Trial {
  std::size_t rows;
  double epsilon;
  Constants constants;
};

// One question for a row: after how many releases it was asked, and where.
struct Read {
  std::size_t row;
  std::uint64_t releases;
  std::array<double, kColumns> x;
  auto operator<=>(const Read&) const = default;
};

struct Outcome {
  Result<Solution> solution;
  std::vector<Read> reads;
};

Problem mean_problem(std::size_t rows, const SampleFunctions& functions) {
  return {Samples(rows, kColumns, functions), ball(kColumns, 1), 1};
}

Outcome run_on_means(const Algorithm& algorithm, const Trial& trial, const TestData& data) {
  Engine engine(1);
  BitSource noise = BitSource::insecure_seeded(1);
  std::vector<Read> reads;
  const auto sample = [&](std::size_t row, std::span<const double> x) {
    reads.push_back({row, noise.releases(), {x[0], x[1]}});
    return std::span(data.rows).subspan(row * kColumns, kColumns);
  };
  const SampleFunctions functions{
      .gradient = [&](std::size_t row, auto x, auto gradient) { MeanLoss{}.gradient(x, sample(row, x), gradient); },
      .implicit_step =
          [&](std::size_t row, auto x, double step, auto y) {
            std::ranges::copy(x, y.begin());
            MeanLoss{}.implicit_step(y, sample(row, x), step);
          },
      .step_error = 1e-15};
  auto solution = algorithm.solve({engine, noise}, mean_problem(data.size(), functions), kMeanMoments,
                                  ApproxDp{trial.epsilon, 1e-6}, {.constants = trial.constants, .max_passes = 3});
  return {std::move(solution), std::move(reads)};
}

TestData points(std::size_t rows) {
  TestData data = heavy_tailed_data(rows, kColumns, 1);
  for (double& value : data.rows) value = std::tanh(value) / 2;
  return data;
}

// Rows that are read together, or each together with a third one, belong together: disjoint sets of rows. Together is:
// between the same two releases. localized draws from sources of its own, one for each solve; there it is: between the
// same two releases of this source and at the same point.
std::vector<std::set<std::size_t>> groups_of(const std::vector<Read>& reads, bool by_point) {
  std::map<std::size_t, std::size_t> parents;
  const std::function<std::size_t(std::size_t)> root = [&](std::size_t row) {
    const std::size_t parent = parents.emplace(row, row).first->second;
    return parent == row ? row : parents[row] = root(parent);
  };
  std::map<std::pair<std::uint64_t, std::array<double, kColumns>>, std::size_t> first;
  for (const Read& read : reads) {
    const auto time = std::pair(read.releases, by_point ? read.x : std::array<double, kColumns>{});
    const std::size_t other = first.emplace(time, read.row).first->second;
    parents[root(read.row)] = root(other);
  }
  std::map<std::size_t, std::set<std::size_t>> groups;
  for (const auto& [row, parent] : std::map(parents)) groups[root(row)].insert(row);
  std::vector<std::set<std::size_t>> result;
  for (auto& [row, group] : groups) result.push_back(std::move(group));
  return result;
}

// The disjoint sets of rows that the price of a run counts on: those of its receipt, or of the phases of smooth-svt,
// which is one release.
std::size_t counted_blocks(const Algorithm& algorithm, const Trial& trial, const Receipt& receipt) {
  if (algorithm.name == "smooth-svt") {
    const Setting setting = setting_of(mean_problem(trial.rows, {.gradient = [](auto, auto, auto) {}}), kMeanMoments);
    return plan_smooth_svt(setting, ApproxDp{trial.epsilon, 1e-6}, {.constants = trial.constants})->phases.size();
  }
  std::set<std::string> names;
  for (const ReceiptLine& line : receipt.lines)
    if (!line.block.empty() && line.release.mechanism != "parallel") names.insert(line.block);
  return std::max<std::size_t>(1, names.size());
}

// A record that pulls the other way, as hard.
TestData with_replaced(TestData data, std::size_t row) {
  for (std::size_t j = 0; j < kColumns; ++j) data.rows[row * kColumns + j] *= -1;
  return data;
}

// Neighbours: nothing differs before the row is read.
bool moves_the_answer(const Algorithm& algorithm, const Trial& trial, const TestData& data, const Outcome& run,
                      std::size_t row) {
  const Outcome other = run_on_means(algorithm, trial, with_replaced(data, row));
  const auto here = std::ranges::find(run.reads, row, &Read::row);
  const auto until = here == run.reads.end() ? here : here + 1;
  const auto same = std::mismatch(run.reads.begin(), until, other.reads.begin(), other.reads.end());
  EXPECT_TRUE(same.first == until) << algorithm.name << ": row " << row << " shows before it is read";
  EXPECT_TRUE(other.solution.ok());
  return run.solution->x != other.solution->x;
}

class Blocks : public testing::TestWithParam<Algorithm> {
 public:
  // How many disjoint sets of rows the run had; none if there was no run.
  static std::size_t check(const Trial& trial) {
    const TestData data = points(trial.rows);
    const Outcome run = run_on_means(GetParam(), trial, data);
    if (!run.solution.ok()) return 0;
    const auto groups = groups_of(run.reads, GetParam().name == "localized");
    EXPECT_GE(groups.size(), counted_blocks(GetParam(), trial, run.solution->receipt)) << "rows read in two phases";
    const std::size_t step = std::max<std::size_t>(1, groups.size() / 6);
    for (std::size_t i = 0; i < groups.size(); i += step) {
      const std::size_t first = *groups[i].begin(), last = *groups[i].rbegin();
      const bool moved = moves_the_answer(GetParam(), trial, data, run, first);
      EXPECT_TRUE(moved || groups.size() == 1) << "row " << first;  // a median over all rows may not notice it
      moves_the_answer(GetParam(), trial, data, run, last);  // need not: averages are of the points before a step
    }
    return groups.size();
  }
};

// A loss of the user's own, on as many rows and with the constants that make several phases, if any do.
TEST_P(Blocks, NoRowOfAUsersLossIsReadInTwoPhasesNorShowsBefore) {
  std::size_t most = 0;
  for (const Trial& trial :
       {Trial{2000, 3, Constants::tight}, Trial{1000, 8, Constants::paper}, Trial{20'000, 8, Constants::tight}})
    if (most < 3) most = std::max(most, check(trial));
  const std::set<std::string_view> take_fresh_rows = {"known-lipschitz", "known-lipschitz-gd", "smooth-svt",
                                                      "implicit",        "lowy-razaviyayn",    "localized"};
  EXPECT_TRUE(most >= 3 || !take_fresh_rows.contains(GetParam().name)) << "too few phases: little was tested";
}

std::string name_of(const testing::TestParamInfo<Algorithm>& info) {
  std::string name(info.param.name);
  std::ranges::replace(name, '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Catalogue, Blocks, testing::ValuesIn(algorithms().begin(), algorithms().end()), name_of);

}  // namespace
}  // namespace tailcoat
