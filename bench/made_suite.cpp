// Rows that are made in each pass against rows that are kept, one thread: a sum of clipped gradients of a design of d
// numbers, without and with a tail for each. In processor time, as steps_suite.
#include <fmt/format.h>
#include <time.h>

#include <random>

#include "suite.hpp"
#include "tailcoat/estimators/design.hpp"

namespace tailcoat::bench {
namespace {

constexpr std::size_t kRows = 300'000;

double processor_seconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

struct Problem {
  std::vector<double> cells, labels, matrix;
  Frame frame;
  DesignColumns wanted;

  Problem(std::size_t d, bool tails) : cells(kRows * (d + 1)), labels(kRows) {
    std::mt19937_64 random(1);
    for (double& cell : cells) cell = std::normal_distribution<>()(random);
    for (double& label : labels) label = std::normal_distribution<>()(random);
    wanted.target = std::string("y");
    for (std::size_t j = 0; j < d; ++j) {
      const std::string name = fmt::format("x{}", j);
      frame.columns.push_back({.name = name});
      wanted.features.push_back({.column = name, .centre = 0.1, .low = -2.5, .high = 2.5});
      if (!tails) continue;
      wanted.features.push_back(
          {.column = name, .kind = FeatureKind::beyond, .low = -5, .high = 5, .knot_low = -2.5, .knot_high = 2.5});
    }
    for (std::size_t j = 0; j < wanted.features.size(); ++j) wanted.fitted.push_back(j);
    frame.columns.push_back({.name = "y"});
    frame.cells = RowsOf<double>{cells.data(), kRows, d, d + 1};  // room for d tails and the constant
    frame.apart = labels;
    const std::size_t size = wanted.fitted.size() + 1;
    matrix.resize(size * size);
    for (std::size_t j = 0; j < size; ++j)
      for (std::size_t k = 0; k < size; ++k) matrix[j * size + k] = j == k ? 1 : 0.01;
  }
};

// Nanoseconds for a row, the best of some passes.
double pass_time(Engine& engine, const LabelledData& data) {
  const std::vector<double> x(data.dimension(), 0.1);
  const auto lattice = clip_lattice(1, data.dimension(), Gdp{0.1});
  double best = 1e300;
  for (int i = 0; i < 7; ++i) {
    const double start = processor_seconds();
    if (!engine.clipped_gradient_sum(Samples(data, SquaredLoss{}), x, *lattice)) return 0;
    best = std::min(best, processor_seconds() - start);
  }
  return 1e9 * best / static_cast<double>(kRows);
}

}  // namespace

void made_suite(const Report& report) {
  Engine engine(1);
  for (const std::size_t d : {5, 10, 20, 40, 60})
    for (const bool tails : {false, true}) {
      const Problem problem(d, tails);
      auto design = Design::create(problem.frame, problem.wanted, 1.5);
      if (!design) stop_at(design.error());
      design->set_matrix(problem.matrix);
      const double made = pass_time(engine, *engine.load(*design));
      Buffer copy;  // where cells were, if they were ours
      const std::size_t bytes = problem.cells.size() * sizeof(double);
      if (!copy.resize(bytes) || !design->keep(engine, &copy)) return;
      const double kept = pass_time(engine, *engine.load(*design));
      report(fmt::format("d = {}{}", d, tails ? ", with tails" : ""),
             {{"made, ns per row", made}, {"kept, ns per row", kept}, {"made / kept", made / kept}});
    }
}

}  // namespace tailcoat::bench
