// BatchSums: sums of clipped gradients over batches of rows that are anywhere in the data, step after step, on the
// calling thread: for steps too small to be worth several. A row contributes what it does in a sum over all rows, and a
// row that is not in the batch contributes exactly zero (lattice.md, "Sums over batches").
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "tailcoat/base/result.hpp"
#include "tailcoat/privacy/sensitive.hpp"

namespace tailcoat {

// Of the samples that batches are drawn from.
inline constexpr std::size_t kMostBatchedSamples = std::numeric_limits<std::uint32_t>::max();

class BatchSums {
 public:
  BatchSums(BatchSums&&) noexcept;
  BatchSums& operator=(BatchSums&&) noexcept;
  ~BatchSums();

  // sum of clip(grad f_i(x)) over the samples i of `batch`, in lattice units. No sample may be in it twice. An x that
  // is not finite makes the contribution of a GLM's rows zero.
  Result<Sensitive<std::vector<std::int64_t>>> at(std::span<const double> x, std::span<const std::uint32_t> batch);
  // Asks memory for the rows of a batch that will be summed soon.
  void prefetch(std::span<const std::uint32_t> batch) const;

 private:
  friend class Engine;
  class Rows;  // how to sum over a batch: of a GLM, or of a loss of the user's own
  template <class T>
  class GlmRows;
  class FunctionRows;
  explicit BatchSums(std::unique_ptr<Rows>);

  std::unique_ptr<Rows> rows_;
};

}  // namespace tailcoat
