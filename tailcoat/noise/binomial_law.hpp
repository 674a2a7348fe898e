// Binomial numbers, sampled by inversion of a table of cumulative probabilities with 192 bits each: a draw is within
// 2^-138 of the law in total variation, for exactly the double that is given as probability. Proof: noise.md.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tailcoat/base/option.hpp"
#include "tailcoat/base/result.hpp"
#include "tailcoat/noise/fail_safe.hpp"

namespace tailcoat {

inline constexpr NumberOption kTrialsOption{
    .name = "trials", .meaning = "number of independent trials", .lowest = 1, .highest = 0xffffffff};
inline constexpr NumberOption kTrialRateOption{
    .name = "rate", .meaning = "probability of each trial", .lowest = 0, .highest = 1, .open_below = true};

class BinomialLaw {
 public:
  static Result<BinomialLaw> create(std::uint64_t trials, double rate);  // in the ranges above

  // The numbers that can be drawn: from smallest() on, sizes() of them. They are those near the mean; what is left out
  // has a probability below 2^-139. At most 2^20 of them and 32 MB, and fewer than 200 for a mean of 30.
  [[nodiscard]] std::uint32_t smallest() const { return smallest_; }
  [[nodiscard]] std::size_t sizes() const { return high_.size() + 1; }
  // P[draw <= smallest() + i], i + 1 < sizes(), in units of 2^-192, rounded down; the most significant word first.
  [[nodiscard]] std::array<std::uint64_t, 3> cumulative(std::size_t i) const {
    return {high_[i], low_[i][0], low_[i][1]};
  }

  // From anything with a word() of 64 uniform bits, as a BitStream. Takes one, and two more with probability below
  // 2^-44.
  template <class Words>
  std::uint32_t operator()(Words&) const;

 private:
  BinomialLaw() = default;
  void build_guide();

  std::uint32_t smallest_ = 0;
  std::vector<std::uint64_t> high_;                // first words of the cumulative probabilities, but the last, 1
  std::vector<std::array<std::uint64_t, 2>> low_;  // their other words
  int guide_shift_ = 0;
  std::vector<std::uint32_t> guide_;  // for the leading bits of a word: how many entries are below all such words
};

// The draw is the number of cumulative probabilities at or below a uniform number of 192 bits. Its last 128 are drawn
// only if its first 64 are those of an entry.
template <class Words>
std::uint32_t BinomialLaw::operator()(Words& words) const {
  abort_unless(!guide_.empty(), "a moved-from binomial law was used");
  const std::uint64_t word = words.word();
  std::size_t i = guide_[word >> guide_shift_];
  while (i < high_.size() && high_[i] < word) ++i;
  if (i < high_.size() && high_[i] == word) {
    const std::uint64_t second = words.word();
    const std::array<std::uint64_t, 2> rest{second, words.word()};
    while (i < high_.size() && high_[i] == word && low_[i] <= rest) ++i;
  }
  return smallest_ + static_cast<std::uint32_t>(i);
}

}  // namespace tailcoat
