// The three clipped sums of Engine: gradients of a GLM, gradients of a loss of the user's own, rows. Each contribution
// is a vector times a scalar s with |s| |vector| <= clip_units, rounded to integers (lattice.md).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <variant>

#include "tailcoat/engine/engine.hpp"
#include "tailcoat/engine/exact_sum.hpp"
#include "tailcoat/engine/pieces.hpp"
#include "tailcoat/engine/sample_gradients.hpp"
#include "tailcoat/engine/workers.hpp"
#include "tailcoat/privacy/sensitive_key.hpp"

namespace tailcoat {
namespace {

Result<SensitiveSum> clipped_sum(Workers& workers, const ClipLattice& lattice, std::size_t rows, std::size_t chunk,
                                 const AddRows& add) {
  const SumShape shape{.rows = rows, .chunk = chunk, .size = lattice.dimension, .largest_term = lattice.clip_units};
  TAILCOAT_TRY(units, exact_sum(workers, shape, add));
  return SensitiveSum{.units = Sensitive(std::move(units)),
                      .size = lattice.dimension,
                      .unit = lattice.unit(),
                      .sensitivity = rounded_sensitivity(kClipFactor, lattice.clip_units, lattice.dimension)};
}

template <class T>
void add_rows(const Piece<T>& piece, Clip clip, LatticeSums& sums) {
  const std::size_t step = block_rows<T>(piece.rows.columns, sums), end = piece.rows.rows;
  std::array<double, kMaxBlockRows> s;
  for (std::size_t first = 0; first < end; first += step) {
    const RowsOf<T> block = part_of(piece.rows, first, std::min(end, first + step));
    for (std::size_t i = 0; i < block.rows; ++i)
      s[i] = std::min(clip.scale, clip.limit * piece.inverse_norms[first + i]);
    add_block(block, s.data(), sums);
  }
}

}  // namespace

Result<SensitiveSum> Engine::clipped_gradient_sum(const Samples& samples, std::span<const double> x,
                                                  const ClipLattice& lattice) {
  TAILCOAT_CHECK(check_samples(samples, x));
  if (samples.glm_loss() != nullptr) return glm_gradient_sum(samples, x, lattice);
  const SampleGradient& gradient = samples.functions()->gradient;
  TAILCOAT_CHECK(check(lattice, x.size()));
  const Clip clip = clip_of(lattice);
  const std::size_t chunk = std::min(samples.size() / (8 * workers_->count()) + 1, kMaxBlockRows);
  return clipped_sum(
      *workers_, lattice, samples.size(), chunk, [&](LatticeSums& sums, std::size_t begin, std::size_t end) {
        for_each_gradient_block(gradient, x, clip, samples.first_ + begin, samples.first_ + end,
                                block_rows<double>(x.size(), sums),
                                [&](const GradientBlock& block) { add_block(block.rows(), block.scalars(), sums); });
      });
}

Result<SensitiveSum> Engine::glm_gradient_sum(const Samples& samples, std::span<const double> x,
                                              const ClipLattice& lattice) try {
  TAILCOAT_CHECK(check(lattice, samples.dimension()));
  const Clip clip = clip_of(lattice);
  const PieceSource source = pieces_of(samples);
  const AlignedVector x_copy = padded_copy(x);
  const auto add = [&](LatticeSums& sums, std::size_t begin, std::size_t end) {
    for_each_piece(source, begin, end, [&]<class T>(const Piece<T>& piece, std::size_t) {
      const GradientPass<T> pass{piece.rows,    piece.labels, piece.inverse_norms, samples.loss_,
                                 x_copy.data(), clip,         piece.weights};
      add_gradients(pass, 0, piece.rows.rows, sums, [](const auto&... arguments) { lattice_sweep(arguments...); });
    });
  };
  return clipped_sum(*workers_, lattice, samples.size(), chunk_rows(samples.size(), source.row_bytes(), *workers_),
                     add);
} catch (...) {
  return error_of(std::current_exception());
}

Result<SensitiveSum> Engine::clipped_row_sum(const RowData& data, const ClipLattice& lattice) {
  TAILCOAT_CHECK(check(lattice, data.dimension()));
  const Clip clip = clip_of(lattice);
  TAILCOAT_CHECK(check_norms(data));
  const PieceSource source = pieces_of(data);
  return clipped_sum(*workers_, lattice, data.rows(), chunk_rows(data.rows(), source.row_bytes(), *workers_),
                     [&](LatticeSums& sums, std::size_t begin, std::size_t end) {
                       for_each_piece(source, begin, end,
                                      [&](const auto& piece, std::size_t) { add_rows(piece, clip, sums); });
                     });
}

}  // namespace tailcoat
