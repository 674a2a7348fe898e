// Poisson samples of the rows 0, ..., rows - 1: each row is in a batch with probability `rate`, exactly the double that
// is given, independently of all other rows and batches. A batch is within 2^-138 of that law in total variation; this
// is what privacy amplification by sampling is proved for. Who is in a batch, and how many are, is secret. Proof:
// noise.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tailcoat/base/result.hpp"
#include "tailcoat/noise/binomial_law.hpp"
#include "tailcoat/noise/bit_source.hpp"

namespace tailcoat {

class PoissonBatches {
 public:
  // 1 <= rows < 2^32, 0 < rate <= 1.
  static Result<PoissonBatches> create(std::size_t rows, double rate);

  // Replaces `batch` by the next one, in increasing order. Memory: up to 32 bytes for each row in it, and 64.
  void draw(BitStream&, std::vector<std::uint32_t>& batch) const;

  [[nodiscard]] const BinomialLaw& sizes() const { return sizes_; }

 private:
  PoissonBatches(std::uint32_t rows, BinomialLaw sizes);

  std::uint32_t rows_;
  BinomialLaw sizes_;
};

// A uniform subset of `size` of the rows 0, ..., rows - 1, in increasing order: every such subset is as likely.
// size <= rows, 1 <= rows.
void draw_subset(std::uint32_t rows, std::uint32_t size, BitStream&, std::vector<std::uint32_t>& subset);

}  // namespace tailcoat
