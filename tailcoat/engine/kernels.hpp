// The inner loops over rows, compiled for each vector instruction set and chosen at run time. All of them take rows in
// tiles of four and treat every row alike, whatever its place in a tile: what a row contributes does not depend on how
// the rows were split. None reads beyond the last number of a row.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "tailcoat/data/rows.hpp"
#include "tailcoat/engine/lattice.hpp"
#include "tailcoat/losses/loss.hpp"

namespace tailcoat {

inline constexpr std::size_t kTileRows = 4;
inline constexpr std::size_t kMaxBlockRows = 1024;

// x, sums and other vectors that go with the columns are padded to whole vectors of the widest instruction set, and
// aligned to them.
inline constexpr std::size_t kVectorAlignment = 64;
inline constexpr std::size_t padded(std::size_t columns) { return (columns + 7) / 8 * 8; }

// A row a contributes s a, rounded to integers: s is its slope times `scale`, cut to +-limit / |a|.
struct Clip {
  double scale;
  double limit;
};

inline Clip clip_of(const ClipLattice& lattice) {
  return {.scale = lattice.clip_units / lattice.clip_threshold,
          .limit = shrunk_units(lattice.clip_units, lattice.dimension, kClipSlack)};
}

// Rows whose s is known and not zero.
template <class T>
struct ReadyRows {
  std::array<const T*, kMaxBlockRows> rows;
  std::array<double, kMaxBlockRows> scalars;
  std::size_t count = 0;  // a multiple of kTileRows: the last tile is filled up with s = 0

  // Takes those of `block` (at most kMaxBlockRows rows) with s != 0. The others, which may hold NaN, are never read.
  void gather(const RowsOf<T>& block, const double* s) {
    gather(
        block.rows, [&](std::size_t i) { return block.data + i * block.stride; }, s);
  }

  // The same of `most` rows that are anywhere: row_at(i) is where row i begins.
  template <class RowAt>
  void gather(std::size_t most, const RowAt& row_at, const double* s) {
    count = 0;
    for (std::size_t i = 0; i < most; ++i) {
      rows[count] = row_at(i);
      scalars[count] = s[i];
      count += s[i] != 0;
    }
    for (; count % kTileRows != 0; ++count) {
      rows[count] = rows[count - 1];
      scalars[count] = 0;
    }
  }
};

// One step of a pass: margins[i] = <row i of fresh, x>, and sums += round(s a) over the ready rows, as many columns.
// Both at once, so that fresh rows stream in from memory while the ready ones, read in the step before, are added up
// out of the cache. Needs |s a_j| < 2^51 for each number of a ready row.
void lattice_sweep(const RowsOf<double>& fresh, const ReadyRows<double>& ready, const double* x, double* margins,
                   double* sums);
void lattice_sweep(const RowsOf<float>& fresh, const ReadyRows<float>& ready, const double* x, double* margins,
                   double* sums);

// margins[i] = <rows[i], x>, for rows that are anywhere; the bits are those of lattice_sweep.
void gathered_margins(std::span<const double* const> rows, std::size_t columns, const double* x, double* margins);
void gathered_margins(std::span<const float* const> rows, std::size_t columns, const double* x, double* margins);

// Asks memory for the numbers of a row that will be read soon.
void prefetch_row(const void* row, std::size_t bytes);

// s for each row of a block, 0 where margin, label or slope is not finite. An inverse norm of 0 gives s = 0. With
// weights, slopes are multiplied by them before they are cut; a weight that is negative or not finite gives s = 0.
void clipped_slopes(const Loss& loss, std::span<const double> margins, const double* labels,
                    const double* inverse_norms, Clip clip, double* s, const double* weights = nullptr);

// <row, x>.
double row_margin(const double* row, const double* x, std::size_t columns);
double row_margin(const float* row, const double* x, std::size_t columns);

// One step of a pass that is sequential by nature: sum += weight x, then x += scale row. Gives <next, x> for the new x.
template <class T>
struct Step {
  const T* row;
  double scale;
  const T* next;
  double weight = 1;
};
double step_and_margin(const Step<double>& step, std::size_t columns, double* x, double* sum);
double step_and_margin(const Step<float>& step, std::size_t columns, double* x, double* sum);

// 1 / |row|; 0 where it is out of range: |row|^2, as computed, below columns 2^-960 or not finite.
void inverse_norms(const RowsOf<double>& rows, double* result);
void inverse_norms(const RowsOf<float>& rows, double* result);

// counts[j] += number of rows whose value in column j is below lower[j] or above upper[j].
void count_outside(const RowsOf<double>& rows, const double* lower, const double* upper, double* counts);
void count_outside(const RowsOf<float>& rows, const double* lower, const double* upper, double* counts);

// The rounded outer products of a tile of rows b of padded(columns) numbers each: diagonal[j] += round(b_j^2) and, for
// j < k, products[j padded(columns) + k] += round(sqrt(2) b_j b_k). What is in products elsewhere means nothing.
void add_outer_products(const std::array<const double*, kTileRows>& rows, std::size_t columns, double* diagonal,
                        double* products);

}  // namespace tailcoat
