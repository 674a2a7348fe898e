// The sparse vector technique (Algorithm 6, Lemma `svt`): a stream of adaptive queries, each answered "above" or
// "below" a threshold; only the answers "above" cost, and after max_above of them it is exhausted. Two variants with
// their own accounting (proofs: mechanisms.md):
//   keep     one threshold noise for the whole stream; pure epsilon-DP in all.
//   refresh  a new threshold noise after each "above": max_above runs of AboveThreshold, epsilon each, composed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tailcoat/base/result.hpp"
#include "tailcoat/mechanisms/outlet.hpp"
#include "tailcoat/noise/laplace.hpp"
#include "tailcoat/privacy/accountant.hpp"
#include "tailcoat/privacy/sensitive.hpp"

namespace tailcoat {

enum class ThresholdNoise { keep, refresh };

struct SparseVectorOptions {
  double epsilon;             // of the whole stream (keep) or of each run (refresh)
  std::size_t max_above = 1;  // c
  double sensitivity;         // of every query, replace-one; fixed before the data is read
  ThresholdNoise threshold_noise = ThresholdNoise::keep;
};

class SparseVector {
 public:
  // What to reserve with the meter before the data is read.
  static std::vector<Event> price(const SparseVectorOptions&);

  // Charges the whole price at once.
  static Result<SparseVector> start(std::string what, const SparseVectorOptions&, Outlet);

  // Is the query at or above the threshold? Refused when exhausted. The query must be finite and have the stated
  // sensitivity for every data set.
  Result<bool> above(const Sensitive<double>& query, double threshold);

  [[nodiscard]] std::size_t above_left() const { return above_left_; }
  // Standard deviation of query noise less threshold noise: what a gap has to exceed to be seen.
  [[nodiscard]] double noise_scale() const;

 private:
  SparseVector(SparseVectorOptions options, DiscreteLaplace threshold_law, DiscreteLaplace query_law,
               const BitSource& noise, std::uint64_t release);
  void draw_threshold_noise();

  SparseVectorOptions options_;
  DiscreteLaplace threshold_law_, query_law_;
  double unit_;
  std::size_t above_left_;
  BitStream bits_;
  std::int64_t threshold_noise_ = 0;
};

}  // namespace tailcoat
