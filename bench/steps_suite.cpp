// One implicit step per row, each from where the one before has ended, against reading the same memory on one thread.
// Both are timed in turn, round after round, in seconds of the processor; each figure is the median over the rounds.
#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <ctime>
#include <vector>

#include "bench/memory.hpp"
#include "bench/suite.hpp"
#include "tailcoat/engine/engine.hpp"

namespace tailcoat::bench {
namespace {

constexpr int kRounds = 5;

template <class F>
double cpu_seconds(F&& work) {
  const auto now = [] {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  };
  const double start = now();
  work();
  return now() - start;
}

template <class T>
Row measured(const T* values, std::size_t d, const Loss& loss) {
  const RowsOf<T> rows{values, kRowBytes / (d * sizeof(T)), d, d};
  std::vector<double> labels(rows.rows), start(d, 0.01);
  for (std::size_t i = 0; i < labels.size(); ++i) labels[i] = i % 3 == 0 ? 1 : -1;
  Engine engine(1);
  const LabelledData data = *engine.load(rows, labels);
  const Domain domain = *Domain::ball(std::vector<double>(d), 10);
  // A clip that slopes of the logistic loss never reach: the equation is solved for every row.
  const OnePass pass{.step = 0.01, .clip = 2 * std::sqrt(static_cast<double>(d) / 3)};
  std::vector<double> fraction, nanoseconds;
  for (int round = 0; round < kRounds; ++round) {
    const double read =
        cpu_seconds([&] { read_all(reinterpret_cast<const double*>(values), kRowBytes / sizeof(double)); });
    const double steps = cpu_seconds([&] {
      (void)engine.one_pass_average({data, loss}, domain, start, pass, Gdp{0.2367}).ok();
    });
    fraction.push_back(read / steps);
    nanoseconds.push_back(steps * 1e9 / static_cast<double>(rows.rows));
  }
  return {{"d", static_cast<double>(d)},
          {"one_pass_fraction_of_read_bandwidth", median(fraction)},
          {"ns_per_step", median(nanoseconds)}};
}

template <class T>
void run_all(const Report& report, const char* storage, std::initializer_list<std::size_t> dimensions) {
  const Memory memory = huge_pages(kRowBytes);
  T* const values = static_cast<T*>(memory.get());
  fill(values, kRowBytes / sizeof(T));
  for (const std::size_t d : dimensions)
    for (const Loss& loss : {Loss(SquaredLoss{}), Loss(AbsoluteLoss{}), Loss(LogisticLoss{})})
      report(fmt::format("steps, {}, d = {}, {}", storage, d, loss_name(loss)), measured(values, d, loss));
}

}  // namespace

void steps_suite(const Report& report) {
  run_all<double>(report, "f64", {16, 64, 256, 512});
  run_all<float>(report, "f32", {64, 512});
}

}  // namespace tailcoat::bench
