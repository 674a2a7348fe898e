// Sums of outer products of clipped rows, and of clipped gradients. A vector a becomes b = s a with |b|^2 <= R lattice
// units; its contribution is the upper triangle of b b^T, off-diagonal entries times sqrt(2), rounded to integers. Two
// of them are at most sqrt(2) R apart before rounding (lattice.md).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <variant>

#include "tailcoat/base/checked.hpp"
#include "tailcoat/base/rounding.hpp"
#include "tailcoat/engine/engine.hpp"
#include "tailcoat/engine/exact_sum.hpp"
#include "tailcoat/engine/pieces.hpp"
#include "tailcoat/engine/sample_gradients.hpp"
#include "tailcoat/engine/workers.hpp"
#include "tailcoat/privacy/sensitive_key.hpp"

namespace tailcoat {
namespace {

constexpr NumberOption kRadiusOption{
    .name = "radius", .meaning = "largest norm of a row", .lowest = 0x1p-450, .highest = 0x1p450};

// Sums are laid out as the diagonal, followed by all rows of the matrix, each padded.
Result<std::size_t> sum_size(std::size_t columns) {
  const auto products = checked_mul(columns, padded(columns));
  const auto size = products ? checked_add(*products, padded(columns)) : std::nullopt;
  if (size && checked_mul(*size, sizeof(double))) return *size;
  return refusal(fmt::format("a matrix of {0} x {0} numbers is more than memory can hold; use fewer columns", columns));
}

// Adds s_i^2 a_i a_i^T for the rows of a block, in tiles; a row that contributes nothing, or is missing in the last
// tile, is all zeros.
template <class T>
void add_products_of(const RowsOf<T>& block, const double* s, LatticeSums& sums) {
  const std::size_t width = padded(block.columns);
  AlignedVector tile(kTileRows * width);
  const std::array<const double*, kTileRows> b = {&tile[0], &tile[width], &tile[2 * width], &tile[3 * width]};
  for (std::size_t first = 0; first < block.rows; first += kTileRows) {
    std::ranges::fill(tile, 0.0);
    for (std::size_t i = first; i < std::min(block.rows, first + kTileRows); ++i) {
      if (s[i] == 0) continue;
      const auto row = block.row(i);
      double* const scaled = &tile[(i - first) * width];
      for (std::size_t j = 0; j < block.columns; ++j) scaled[j] = s[i] * static_cast<double>(row[j]);
    }
    double* const diagonal = sums.room_for(kTileRows);
    add_outer_products(b, block.columns, diagonal, diagonal + width);
  }
}

template <class T>
void add_row_products(const Piece<T>& piece, Clip clip, LatticeSums& sums) {
  std::array<double, kMaxBlockRows> s;
  for (std::size_t first = 0; first < piece.rows.rows; first += kMaxBlockRows) {
    const RowsOf<T> block = part_of(piece.rows, first, std::min(piece.rows.rows, first + kMaxBlockRows));
    for (std::size_t i = 0; i < block.rows; ++i)
      s[i] = std::min(clip.scale, clip.limit * piece.inverse_norms[first + i]);
    add_products_of(block, s.data(), sums);
  }
}

template <class T>
void add_gradient_products(const GradientPass<T>& pass, LatticeSums& sums) {
  constexpr std::size_t kStep = 64;  // rows that are still in the cache when their slopes are known
  std::array<double, kStep> margins, s;
  for (std::size_t first = 0; first < pass.rows.rows; first += kStep) {
    const RowsOf<T> block = part_of(pass.rows, first, std::min(pass.rows.rows, first + kStep));
    for (std::size_t i = 0; i < block.rows; ++i)
      margins[i] = row_margin(block.data + i * block.stride, pass.x, block.columns);
    clipped_slopes(pass.loss, {margins.data(), block.rows}, pass.labels + first, pass.inverse_norms + first, pass.clip,
                   s.data(), pass.weights == nullptr ? nullptr : pass.weights + first);
    add_products_of(block, s.data(), sums);
  }
}

std::vector<std::int64_t> packed_triangle(const std::vector<std::int64_t>& sums, std::size_t columns) {
  std::vector<std::int64_t> packed;
  packed.reserve(columns * (columns + 1) / 2);
  for (std::size_t j = 0; j < columns; ++j) {
    packed.push_back(sums[j]);
    const auto row = sums.begin() + static_cast<std::ptrdiff_t>((j + 1) * padded(columns));
    packed.insert(packed.end(), row + static_cast<std::ptrdiff_t>(j + 1), row + static_cast<std::ptrdiff_t>(columns));
  }
  return packed;
}

// Vectors of norm up to `radius`, of which the squared one is `units`.
struct MomentLattice {
  std::size_t columns, size, layout;
  double radius, units;
  Clip clip;
};

Result<MomentLattice> moment_lattice(std::size_t columns, double radius, Gdp cost) {
  TAILCOAT_CHECK(check(kRadiusOption, radius));
  TAILCOAT_TRY(layout, sum_size(columns));
  const std::size_t size = columns * (columns + 1) / 2;
  TAILCOAT_TRY(units, contribution_units(sqrt_up(2), size, cost));
  const double limit = sqrt_down(shrunk_units(units, columns, kOuterSlack));
  return MomentLattice{columns, size, layout, radius, units, {.scale = std::sqrt(units) / radius, .limit = limit}};
}

Result<SensitiveSum> moment_sum(Workers& workers, const MomentLattice& lattice, std::size_t rows, const AddRows& add) {
  const std::size_t chunk =
      std::min(chunk_rows(rows, lattice.columns * sizeof(double), workers), rows / (8 * workers.count()) + kTileRows);
  // A product is at most units in magnitude; sqrt(2) times that where products holds what means nothing.
  const SumShape shape{.rows = rows, .chunk = chunk, .size = lattice.layout, .largest_term = 1.5 * lattice.units};
  TAILCOAT_TRY(sums, exact_sum(workers, shape, add));
  return SensitiveSum{.units = Sensitive(packed_triangle(sums, lattice.columns)),
                      .size = lattice.size,
                      .unit = lattice.radius * lattice.radius / lattice.units,
                      .sensitivity = rounded_sensitivity(sqrt_up(2), lattice.units, lattice.size)};
}

}  // namespace

Result<SensitiveSum> Engine::second_moment_sum(const RowData& data, double radius, Gdp cost) try {
  TAILCOAT_TRY(lattice, moment_lattice(data.dimension(), radius, cost));
  TAILCOAT_CHECK(check_norms(data));
  const PieceSource source = pieces_of(data);
  return moment_sum(*workers_, lattice, data.rows(), [&](LatticeSums& sums, std::size_t begin, std::size_t end) {
    for_each_piece(source, begin, end,
                   [&](const auto& piece, std::size_t) { add_row_products(piece, lattice.clip, sums); });
  });
} catch (...) {
  return error_of(std::current_exception());
}

Result<SensitiveSum> Engine::gradient_second_moment_sum(const Samples& samples, std::span<const double> x, double clip,
                                                        Gdp cost) try {
  TAILCOAT_CHECK(check_samples(samples, x));
  TAILCOAT_TRY(lattice, moment_lattice(samples.dimension(), clip, cost));
  if (samples.glm_loss() == nullptr) {
    const auto add = [&](LatticeSums& sums, std::size_t begin, std::size_t end) {
      for_each_gradient_block(
          samples.functions()->gradient, x, lattice.clip, samples.first_ + begin, samples.first_ + end,
          block_rows<double>(x.size(), sums),
          [&](const GradientBlock& block) { add_products_of(block.rows(), block.scalars(), sums); });
    };
    return moment_sum(*workers_, lattice, samples.size(), add);
  }
  const PieceSource source = pieces_of(samples);
  const AlignedVector x_copy = padded_copy(x);
  return moment_sum(*workers_, lattice, samples.size(), [&](LatticeSums& sums, std::size_t begin, std::size_t end) {
    for_each_piece(source, begin, end, [&]<class T>(const Piece<T>& piece, std::size_t) {
      add_gradient_products(GradientPass<T>{piece.rows, piece.labels, piece.inverse_norms, samples.loss_, x_copy.data(),
                                            lattice.clip, piece.weights},
                            sums);
    });
  });
} catch (...) {
  return error_of(std::current_exception());
}

}  // namespace tailcoat
