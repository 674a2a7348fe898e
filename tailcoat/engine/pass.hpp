// One fused pass over rows: margin, slope, clip and sum of each row while it is in the cache, block by block. What is
// done with the rows of a block is a parameter, so that the benchmark can run the same pass without rounding.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include "tailcoat/data/rows.hpp"
#include "tailcoat/engine/exact_sum.hpp"
#include "tailcoat/engine/kernels.hpp"
#include "tailcoat/losses/loss.hpp"

namespace tailcoat {

template <class T>
RowsOf<T> part_of(const RowsOf<T>& rows, std::size_t begin, std::size_t end) {
  return {rows.data + begin * rows.stride, end - begin, rows.columns, rows.stride};
}

// A block of rows that stays in the second-level cache until it has been added up, and in the sums without a flush. Its
// quarters have an odd number of rows: a multiple of the page size would send all four streams to the same cache lines.
template <class T>
std::size_t block_rows(std::size_t columns, const LatticeSums& sums) {
  constexpr std::size_t kBlockBytes = std::size_t{1} << 16;
  const std::size_t fitting = std::min({kBlockBytes / (columns * sizeof(T)), kMaxBlockRows, sums.most_terms()});
  const std::size_t quarter = std::max<std::size_t>(1, fitting / kTileRows);
  return kTileRows * (quarter % 2 == 0 ? quarter - 1 : quarter);
}

template <class T>
struct GradientPass {
  RowsOf<T> rows;
  const double* labels;
  const double* inverse_norms;
  const Loss& loss;
  const double* x;  // padded
  Clip clip;
  const double* weights = nullptr;  // none: 1 each
};

// Adds the clipped gradients of rows [begin, end). A block is added up in the sweep that reads the next one.
template <class T, class Sweep>
void add_gradients(const GradientPass<T>& pass, std::size_t begin, std::size_t end, LatticeSums& sums, Sweep sweep) {
  const std::size_t step = block_rows<T>(pass.rows.columns, sums);
  std::array<double, kMaxBlockRows> margins, s;
  ReadyRows<T> ready;
  for (std::size_t first = begin; first < end; first += step) {
    const RowsOf<T> block = part_of(pass.rows, first, std::min(end, first + step));
    sweep(block, ready, pass.x, margins.data(), sums.room_for(ready.count));
    clipped_slopes(pass.loss, {margins.data(), block.rows}, pass.labels + first, pass.inverse_norms + first, pass.clip,
                   s.data(), pass.weights == nullptr ? nullptr : pass.weights + first);
    ready.gather(block, s.data());
  }
  sweep(part_of(pass.rows, end, end), ready, pass.x, margins.data(), sums.room_for(ready.count));
}

// Adds s_i a_i for the rows of a block, rounded.
template <class T>
void add_block(const RowsOf<T>& block, const double* s, LatticeSums& sums) {
  ReadyRows<T> ready;
  ready.gather(block, s);
  lattice_sweep(part_of(block, 0, 0), ready, nullptr, nullptr, sums.room_for(ready.count));
}

}  // namespace tailcoat
