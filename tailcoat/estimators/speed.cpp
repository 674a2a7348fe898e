#include "tailcoat/estimators/speed.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <vector>

namespace tailcoat {
namespace {

constexpr std::size_t kMostNumbers = std::size_t{1} << 22;  // 32 MB: more than most caches hold
constexpr std::size_t kFewest = 4;                          // rows
constexpr std::size_t kMostSteps = 20000;
constexpr std::size_t kWidest = 100000;  // wider rows cost in proportion

template <class F>
Result<double> best_seconds(int repeats, F&& work) {
  double best = 1e300;
  for (int i = 0; i < repeats; ++i) {
    const auto start = std::chrono::steady_clock::now();
    TAILCOAT_CHECK(work());
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    best = std::min(best, elapsed.count());
  }
  return best;
}

}  // namespace

Result<Speed> measure_speed(Engine& engine, std::size_t rows, std::size_t dimension) {
  const std::size_t d = std::min(dimension, kWidest),
                    n = std::clamp(kMostNumbers / d, kFewest, std::max(rows, kFewest));
  std::vector<double> numbers(n * d), labels(n, 1.0);
  const std::vector<double> x(d, 0.5 / std::sqrt(static_cast<double>(d)));  // in the ball
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<double>(i % 17) - 8;
  const Gdp cost{1};
  TAILCOAT_TRY(data, engine.load(RowsOf<double>{numbers.data(), n, d, d}, labels));
  TAILCOAT_TRY(lattice, clip_lattice(1, d, cost));
  TAILCOAT_TRY(ball, Domain::ball(std::vector<double>(d, 0.0), 1));
  const Samples samples(data, LogisticLoss{});
  const Samples few = samples.block(0, std::min(n, kMostSteps));
  TAILCOAT_TRY(full, best_seconds(3, [&]() -> Result<void> {
                 TAILCOAT_TRY(sum, engine.clipped_gradient_sum(samples, x, lattice));
                 static_cast<void>(sum);
                 return {};
               }));
  TAILCOAT_TRY(steps, best_seconds(2, [&]() -> Result<void> {
                 TAILCOAT_TRY(sum, engine.one_pass_average(few, ball, x, {.step = 1e-6, .clip = 1}, cost));
                 static_cast<void>(sum);
                 return {};
               }));
  const double wider = static_cast<double>(dimension) / static_cast<double>(d);
  return Speed{.full_pass = wider * full / static_cast<double>(n),
               .one_pass = wider * steps / static_cast<double>(few.size())};
}

}  // namespace tailcoat
