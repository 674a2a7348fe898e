// What both modes of `localized`, with tight constants and as stated, share: solves on blocks of fresh samples
// (Algorithm 3), and what they refuse.
#pragma once

#include <functional>
#include <vector>

#include "tailcoat/algorithms/problem.hpp"

namespace tailcoat {

// Options out of range, and fewer than 2 rows.
Result<void> check_localized(const Setting&, const Options&);
// A bound that is no number.
Result<void> check_certifies(const Bound&, const Setting&);

// Hands out blocks of samples, from the front, each with a meter of its own: what is left has been read by nobody.
class FreshBlocks {
 public:
  FreshBlocks(RunContext context, const Samples& samples, std::vector<PrivacyMeter>& meters)
      : context_(context), samples_(samples), meters_(meters) {}

  // The points of `copies` solves on `rows` samples each, with noise of their own, on all threads; a single solve has
  // all threads for itself. The same bits for any number of threads.
  using Solve = std::function<Result<std::vector<double>>(const Samples& block, Outlet outlet)>;
  Result<std::vector<std::vector<double>>> solve(std::size_t copies, std::size_t rows, const Solve& solve);

  struct Block {
    Samples samples;
    PrivacyMeter& meter;
  };
  Block next(std::size_t rows);

 private:
  RunContext context_;
  const Samples& samples_;
  std::vector<PrivacyMeter>& meters_;
  std::size_t first_row_ = 0, first_meter_ = 0;
};

}  // namespace tailcoat
