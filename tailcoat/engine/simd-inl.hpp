// What all kernels of one instruction set share: loading parts of rows, walking over tiles and columns, and the sweep.
// Included once per instruction set (Highway's foreach_target), hence the inverted include guard.

#if defined(TAILCOAT_ENGINE_SIMD_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TAILCOAT_ENGINE_SIMD_INL
#undef TAILCOAT_ENGINE_SIMD_INL
#else
#define TAILCOAT_ENGINE_SIMD_INL
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>

#include "tailcoat/engine/kernels.hpp"

HWY_BEFORE_NAMESPACE();
namespace tailcoat::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Tag = hn::CappedTag<double, kVectorAlignment / sizeof(double)>;
using FloatTag = hn::Rebind<float, Tag>;
using Vector = hn::Vec<Tag>;

// A vector of consecutive numbers of a row.
struct WholeVector {
  HWY_INLINE Vector operator()(const double* from) const { return hn::LoadU(Tag(), from); }
  HWY_INLINE Vector operator()(const float* from) const { return hn::PromoteTo(Tag(), hn::LoadU(FloatTag(), from)); }
};

// The last numbers of a row, fewer than a vector, followed by zeros.
struct PartOfVector {
  std::size_t count;

  HWY_INLINE Vector operator()(const double* from) const { return load(Tag(), from); }
  HWY_INLINE Vector operator()(const float* from) const { return hn::PromoteTo(Tag(), load(FloatTag(), from)); }

 private:
  template <class D, class T>
  HWY_INLINE hn::Vec<D> load(D tag, const T* from) const {
#if HWY_MEM_OPS_MIGHT_FAULT && HWY_TARGET != HWY_AVX2  // AVX2 masked loads of these types do not touch the other lanes
    HWY_ALIGN T padded_part[kVectorAlignment / sizeof(double)] = {};
    std::memcpy(padded_part, from, count * sizeof(T));
    return hn::Load(tag, padded_part);
#else
    return hn::MaskedLoad(hn::FirstN(tag, count), tag, from);
#endif
  }
};

// body(j, load) for j = 0, L, 2L, ... below `columns`, where load(row + j) is the vector of row[j], row[j + 1], ...
template <class Body>
HWY_INLINE void for_each_vector(std::size_t columns, Body&& body) {
  const std::size_t lanes = hn::Lanes(Tag());
  std::size_t j = 0;
  for (; j + lanes <= columns; j += lanes) body(j, WholeVector{});
  if (j < columns) body(j, PartOfVector{columns - j});
}

// Walking through the tiles of a block takes one row out of each quarter: four sequential streams, each in pages of its
// own, keep a memory prefetcher busier than one. Where the last quarter is short, its last row is taken again.
template <class T>
struct FreshTile {
  std::array<std::size_t, kTileRows> index;
  std::array<const T*, kTileRows> row;
};

template <class T>
struct ReadyTile {
  std::array<const T*, kTileRows> row;
  std::array<double, kTileRows> s;
};

HWY_INLINE std::size_t tile_count(std::size_t rows) { return (rows + kTileRows - 1) / kTileRows; }

template <class T>
HWY_INLINE FreshTile<T> fresh_tile(const RowsOf<T>& rows, std::size_t number) {
  FreshTile<T> tile;
  for (std::size_t r = 0; r < kTileRows; ++r) {
    tile.index[r] = std::min(number + r * tile_count(rows.rows), rows.rows - 1);
    tile.row[r] = rows.data + tile.index[r] * rows.stride;
  }
  return tile;
}

template <class T>
HWY_INLINE ReadyTile<T> ready_tile(const ReadyRows<T>& ready, std::size_t number) {
  ReadyTile<T> tile;
  for (std::size_t r = 0; r < kTileRows; ++r) {
    const std::size_t place = number + r * (ready.count / kTileRows);
    tile.row[r] = ready.rows[place];
    tile.s[r] = ready.scalars[place];
  }
  return tile;
}

// sum + round(s a) over a tile, for an integer sum and |s a| < 2^51. M + v, rounded to a double, is M + round(v), and
// as M is even, M - v gives M - round(v): a pair of rows loses M in one subtraction.
class LatticeAdder {
 public:
  HWY_INLINE explicit LatticeAdder(const std::array<double, kTileRows>& s)
      : s0_(hn::Set(Tag(), s[0])),
        minus_s1_(hn::Set(Tag(), -s[1])),
        s2_(hn::Set(Tag(), s[2])),
        minus_s3_(hn::Set(Tag(), -s[3])) {}

  HWY_INLINE Vector operator()(Vector sum, Vector a0, Vector a1, Vector a2, Vector a3) const {
    const Vector m = hn::Set(Tag(), 0x1.8p52);
    const Vector first = hn::Sub(hn::MulAdd(s0_, a0, m), hn::MulAdd(minus_s1_, a1, m));
    const Vector second = hn::Sub(hn::MulAdd(s2_, a2, m), hn::MulAdd(minus_s3_, a3, m));
    return hn::Add(sum, hn::Add(first, second));
  }

 private:
  Vector s0_, minus_s1_, s2_, minus_s3_;
};

// Margins of a fresh tile (if kFresh) and sums over a ready one (if kReady), in one loop over the columns.
template <class Adder, bool kFresh, bool kReady, class T>
HWY_INLINE void sweep_tile(const FreshTile<T>& fresh, const ReadyTile<T>& ready, std::size_t columns,
                           const double* HWY_RESTRICT x, double* HWY_RESTRICT margins, double* HWY_RESTRICT sums) {
  const auto [a0, a1, a2, a3] = fresh.row;
  const auto [b0, b1, b2, b3] = ready.row;
  const Adder adder(ready.s);
  Vector t0 = hn::Zero(Tag()), t1 = t0, t2 = t0, t3 = t0;
  for_each_vector(columns, [&](std::size_t j, auto load) HWY_ATTR {
    if constexpr (kFresh) {
      const Vector x_j = hn::Load(Tag(), x + j);
      t0 = hn::MulAdd(load(a0 + j), x_j, t0);
      t1 = hn::MulAdd(load(a1 + j), x_j, t1);
      t2 = hn::MulAdd(load(a2 + j), x_j, t2);
      t3 = hn::MulAdd(load(a3 + j), x_j, t3);
    }
    if constexpr (kReady) {
      const Vector sum = hn::Load(Tag(), sums + j);
      hn::Store(adder(sum, load(b0 + j), load(b1 + j), load(b2 + j), load(b3 + j)), Tag(), sums + j);
    }
  });
  if constexpr (kFresh) {
    margins[fresh.index[0]] = hn::GetLane(hn::SumOfLanes(Tag(), t0));
    margins[fresh.index[1]] = hn::GetLane(hn::SumOfLanes(Tag(), t1));
    margins[fresh.index[2]] = hn::GetLane(hn::SumOfLanes(Tag(), t2));
    margins[fresh.index[3]] = hn::GetLane(hn::SumOfLanes(Tag(), t3));
  }
}

template <class Adder, class T>
void sweep(const RowsOf<T>& fresh, const ReadyRows<T>& ready, const double* x, double* margins, double* sums) {
  const std::size_t fresh_tiles = tile_count(fresh.rows), ready_tiles = tile_count(ready.count);
  const std::size_t both = std::min(fresh_tiles, ready_tiles), d = fresh.columns;
  for (std::size_t i = 0; i < both; ++i)
    sweep_tile<Adder, true, true, T>(fresh_tile(fresh, i), ready_tile(ready, i), d, x, margins, sums);
  for (std::size_t i = both; i < fresh_tiles; ++i)
    sweep_tile<Adder, true, false, T>(fresh_tile(fresh, i), {}, d, x, margins, sums);
  for (std::size_t i = both; i < ready_tiles; ++i)
    sweep_tile<Adder, false, true, T>({}, ready_tile(ready, i), d, x, margins, sums);
}

}  // namespace tailcoat::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
