// Samplers on one core, all randomness included: nanoseconds per draw, and the speed of the raw bits.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "suite.hpp"
#include "tailcoat/noise/bit_source.hpp"
#include "tailcoat/noise/gaussian.hpp"
#include "tailcoat/noise/laplace.hpp"
#include "tailcoat/noise/poisson_batches.hpp"

namespace tailcoat::bench {
namespace {

constexpr int kRepeats = 9;

// Keeps a result alive without storing it.
void consume(std::uint64_t value) { asm volatile("" : : "r"(value)); }

template <class Draw>
double draw_seconds(const BitSource& source, std::size_t draws, Draw draw) {
  return best_seconds(kRepeats, [&] {
    BitStream bits = source.stream(0, 0);
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < draws; ++i) sum += static_cast<std::uint64_t>(draw(bits));
    consume(sum);
  });
}

void report_draws(const Report& report, const std::string& label, std::size_t draws, double seconds) {
  report(label, {{"threads", 1},
                 {"draws", static_cast<double>(draws)},
                 {"ns_per_draw", seconds * 1e9 / static_cast<double>(draws)}});
}

}  // namespace

void noise_suite(const Report& report) {
  BitSource source = BitSource::insecure_seeded(1);
  std::vector<std::int64_t> values(std::size_t{1} << 20);
  report_draws(report, "gaussian, 2^20 coordinates", values.size(),
               best_seconds(kRepeats, [&] { add_rounded_gaussian(values, source, source.next_release()); }));
  std::vector<std::int64_t> few(16);
  report_draws(report, "gaussian, 16 coordinates a release", 4096 * few.size(), best_seconds(kRepeats, [&] {
                 for (int i = 0; i < 4096; ++i) add_rounded_gaussian(few, source, source.next_release());
               }));

  constexpr std::size_t kDraws = std::size_t{1} << 18;
  const auto law = DiscreteLaplace::create(0x1p20);
  const std::int64_t bound = std::int64_t{14} << 20;
  report_draws(report, "laplace, scale 2^20", kDraws,
               draw_seconds(source, kDraws, [&](BitStream& bits) { return (*law)(bits); }));
  report_draws(report, "bounded laplace, scale 2^20, bound 14 scale", kDraws,
               draw_seconds(source, kDraws, [&](BitStream& bits) { return law->bounded(bound, bits); }));

  std::vector<std::uint32_t> batch;
  for (const double mean : {4.0, 30.0}) {
    const auto batches = PoissonBatches::create(50'000, mean / 50'000);
    report_draws(report, "poisson batches of 50000 rows, mean " + std::to_string(static_cast<int>(mean)), kDraws,
                 draw_seconds(source, kDraws, [&](BitStream& bits) {
                   batches->draw(bits, batch);
                   return batch.size();
                 }));
  }

  constexpr std::size_t kWords = std::size_t{1} << 22;
  const double seconds = draw_seconds(source, kWords, [](BitStream& bits) { return bits.word(); });
  report("raw bits", {{"threads", 1}, {"gb_per_second", 8e-9 * static_cast<double>(kWords) / seconds}});
}

}  // namespace tailcoat::bench
