// Laplace noise on the integers, sampled exactly: P[k] proportional to exp(-|k| / scale), and the same cut to
// |k| <= bound. Added to an integer of sensitivity Delta the first is exactly (Delta / scale)-DP; the second is
// (Delta / scale, bounded_laplace_delta)-DP, and no smaller delta is true. Proofs: noise.md.
#pragma once

#include <cstdint>
#include <vector>

#include "tailcoat/base/option.hpp"
#include "tailcoat/base/result.hpp"
#include "tailcoat/noise/bit_source.hpp"

namespace tailcoat {

inline constexpr NumberOption kLaplaceScaleOption{
    .name = "scale", .meaning = "scale of Laplace noise, in lattice units", .lowest = 1, .highest = 0x1p40};

class DiscreteLaplace {
 public:
  struct Threshold {
    std::uint64_t high, low;  // 128 bits of a probability, rounded down
  };

  static Result<DiscreteLaplace> create(double scale);  // in the range of kLaplaceScaleOption

  [[nodiscard]] double scale() const { return scale_; }
  // P[bit j of the geometric magnitude is 1].
  [[nodiscard]] const std::vector<Threshold>& thresholds() const { return thresholds_; }
  // No draw reaches 250 scale in magnitude.
  std::int64_t operator()(BitStream&) const;
  // Conditioned on |k| <= bound, by rejection: less than two tries on average if bound >= scale, but about scale /
  // bound of them if bound is much smaller. bound >= 0.
  std::int64_t bounded(std::int64_t bound, BitStream&) const;

 private:
  DiscreteLaplace() = default;
  std::int64_t geometric(BitStream&) const;

  double scale_ = 0;
  std::vector<Threshold> thresholds_;
};

// The exact delta of the bounded Laplace for integers that differ by up to `shift`, at every epsilon >= shift / scale:
// the mass that one leaves outside the support of the other. Rounded up; 1 for arguments that make no sense.
double bounded_laplace_delta(double scale, std::int64_t bound, std::int64_t shift);

// The smallest bound whose delta is at most `delta`, for 0 <= shift <= 2^60 and 0 < delta < 1.
Result<std::int64_t> smallest_laplace_bound(double scale, std::int64_t shift, double delta);

}  // namespace tailcoat
