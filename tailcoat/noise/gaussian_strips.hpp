// The sampler behind rounded_gaussian, open to its tests: rejection from 1024 vertical strips of equal area under
// exp(-x^2 / 2), on the grid of |Z| in units of 2^-27. A table decides 99 draws of 100 without floating point; the rest
// is decided in double where its error bound allows, else with 50 digits. Proof of exactness: noise.md.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace tailcoat {

inline constexpr std::size_t kGaussianStrips = 1024;
inline constexpr int kHeightBits = 21;
inline constexpr std::uint32_t kStripArea = 165013;       // the least for which 1024 strips reach kGaussianEnd
inline constexpr std::uint32_t kGaussianEnd = 16u << 27;  // P[|Z| >= 16] < 2^-188

// Cells [start, start + width) of the grid. A point (x, height) of the strip, height uniform in [0, 1), is accepted if
// height < (width / kStripArea) exp(-x^2 / 2), which is at most 1.
struct GaussianStrip {
  std::uint32_t start;
  std::uint32_t width;
  std::uint32_t sure;    // heights below sure / 2^21 are accepted anywhere in the strip
  std::uint32_t excess;  // 2^32 mod width
};

const std::array<GaussianStrip, kGaussianStrips>& gaussian_strips();

enum class Verdict { accept, reject, open };

// The height is height / 2^21 + more / 2^85 and up to 2^-85; x is anywhere in the cell. `open` if the answer depends on
// what is not known yet.
Verdict verdict_in_double(const GaussianStrip&, std::uint32_t cell, std::uint32_t height, std::uint64_t more);

// The same with 213 bits of height and 128 bits of the position in the cell, most significant words first.
bool accepted_exactly(const GaussianStrip&, std::uint32_t cell, std::uint32_t height,
                      const std::array<std::uint64_t, 3>& more, const std::array<std::uint64_t, 2>& position);

template <class Words>
bool accepted_above_table(const GaussianStrip& strip, std::uint32_t cell, std::uint32_t height, Words& words) {
  const std::uint64_t more = words.word();
  const Verdict verdict = verdict_in_double(strip, cell, height, more);
  if (verdict != Verdict::open) return verdict == Verdict::accept;
  const std::array<std::uint64_t, 3> height_words{more, words.word(), words.word()};
  const std::array<std::uint64_t, 2> position_words{words.word(), words.word()};
  return accepted_exactly(strip, cell, height, height_words, position_words);
}

// |Z| lies in [cell, cell + 1) 2^-27, so 2^26 |Z| lies in [cell / 2, cell / 2 + 1/2): nearest integer.
constexpr std::int64_t rounded_magnitude(std::uint32_t cell) { return (std::int64_t{cell} + 1) / 2; }

// One draw of round(2^26 Z) from anything with a word() of 64 uniform bits. Bits of the first word: 10 strip, 21
// height, 1 sign, 32 position.
template <class Words>
std::int64_t draw_rounded_gaussian(const std::array<GaussianStrip, kGaussianStrips>& strips, Words& words) {
  for (;;) {
    const std::uint64_t word = words.word();
    const GaussianStrip& strip = strips[word >> 54];
    const auto height = static_cast<std::uint32_t>(word >> 33 & ((1u << kHeightBits) - 1));
    const bool negative = (word >> 32 & 1) != 0;
    std::uint64_t product = (word & 0xffffffff) * strip.width;
    while (static_cast<std::uint32_t>(product) < strip.excess) product = (words.word() >> 32) * strip.width;
    const std::uint32_t cell = strip.start + static_cast<std::uint32_t>(product >> 32);
    if (height >= strip.sure && !accepted_above_table(strip, cell, height, words)) continue;
    const std::int64_t magnitude = rounded_magnitude(cell);
    return negative ? -magnitude : magnitude;
  }
}

}  // namespace tailcoat
