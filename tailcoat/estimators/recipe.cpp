#include "tailcoat/estimators/recipe.hpp"

#include <algorithm>
#include <array>

#include "tailcoat/data/frame.hpp"
#include "tailcoat/engine/kernels.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tailcoat/estimators/recipe.cpp"
#include <hwy/foreach_target.h>

#include "tailcoat/engine/simd-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tailcoat::HWY_NAMESPACE {

using Floats = hn::CappedTag<float, 8>;
using FloatVector = hn::Vec<Floats>;

// What a tile of rows needs on the way.
struct Tile {
  std::array<double*, kTileRows> numbers;       // room() each; zero beyond the last input
  std::array<float*, kTileRows> inputs;         // the same in floats: padded(inputs) each
  std::array<std::uint32_t*, kTileRows> lines;  // one for each text column

  Tile(const Recipe& recipe, std::byte* scratch) {
    const std::size_t width = padded(recipe.inputs);
    auto* const doubles = reinterpret_cast<double*>(scratch);
    auto* const floats = reinterpret_cast<float*>(doubles + kTileRows * recipe.room());
    auto* const line = reinterpret_cast<std::uint32_t*>(floats + kTileRows * width);
    for (std::size_t r = 0; r < kTileRows; ++r) {
      numbers[r] = doubles + r * recipe.room();
      inputs[r] = floats + r * width;
      lines[r] = line + r * recipe.texts.size();
    }
    std::fill_n(doubles, kTileRows * recipe.room(), 0.0);
  }
};

template <class T>
using RowsOfTile = std::array<const T*, kTileRows>;

// The last vector of a run may write where later inputs are, which come after it, or beyond, where it writes zeros.
template <class T>
HWY_INLINE void standardise(const Recipe& recipe, const RowsOfTile<T>& cells, const Tile& tile) {
  const double *HWY_RESTRICT factors = recipe.factor.data(), *HWY_RESTRICT shifts = recipe.shift.data();
  const double *HWY_RESTRICT lows = recipe.low.data(), *HWY_RESTRICT highs = recipe.high.data();
  const auto [a0, a1, a2, a3] = cells;
  const auto [z0, z1, z2, z3] = tile.numbers;
  for (const auto [column, input, count] : recipe.numbers) {
    for_each_vector(count, [&](std::size_t j, auto load) HWY_ATTR {
      const std::size_t from = column + j, to = input + j;
      const Vector factor = hn::LoadU(Tag(), factors + to), shift = hn::LoadU(Tag(), shifts + to);
      const Vector low = hn::LoadU(Tag(), lows + to), high = hn::LoadU(Tag(), highs + to);
      const auto put = [&](const T* row, double* z) HWY_ATTR {
        const Vector raw = hn::MulAdd(load(row + from), factor, shift);
        const Vector cut = hn::Min(hn::Max(raw, low), high);
        hn::StoreU(hn::IfThenElseZero(hn::Eq(raw, raw), cut), Tag(), z + to);
      };
      put(a0, z0);
      put(a1, z1);
      put(a2, z2);
      put(a3, z3);
    });
  }
}

template <class T>
HWY_INLINE void add_tails(const Recipe& recipe, const RowsOfTile<T>& cells, const Tile& tile) {
  for (const auto [column, input, count] : recipe.tails) {
    for_each_vector(count, [&](std::size_t j, auto load) HWY_ATTR {
      const std::size_t from = column + j, to = input + j;
      const Vector low = hn::LoadU(Tag(), &recipe.low[to]), high = hn::LoadU(Tag(), &recipe.high[to]);
      const Vector knot_low = hn::LoadU(Tag(), &recipe.knot_low[to]);
      const Vector knot_high = hn::LoadU(Tag(), &recipe.knot_high[to]), factor = hn::LoadU(Tag(), &recipe.factor[to]);
      const auto put = [&](const T* row, double* z) HWY_ATTR {
        const Vector cell = load(row + from), cut = hn::Min(hn::Max(cell, low), high);
        const Vector beyond = hn::Sub(cut, hn::Min(hn::Max(cut, knot_low), knot_high));
        hn::StoreU(hn::IfThenElseZero(hn::Eq(cell, cell), hn::Mul(beyond, factor)), Tag(), z + to);
      };
      for (std::size_t r = 0; r < kTileRows; ++r) put(cells[r], tile.numbers[r]);
    });
  }
}

template <class T>
HWY_INLINE void add_indicators(const Recipe& recipe, const T* HWY_RESTRICT cells, double* HWY_RESTRICT z) {
  for (const auto& [column, zero, other, missing] : recipe.indicators) {
    const T cell = cells[column];
    *z++ = cell != cell ? missing : (cell != 0 ? other : zero);
  }
}

// Inputs as floats; gives their squared norms with that of the constant 1.
HWY_INLINE std::array<double, kTileRows> squares_of(const Recipe& recipe, const Tile& tile) {
  const std::size_t width = padded(recipe.inputs);
  const auto [z0, z1, z2, z3] = tile.numbers;
  const auto [f0, f1, f2, f3] = tile.inputs;
  Vector s0 = hn::Zero(Tag()), s1 = s0, s2 = s0, s3 = s0;
  const auto take = [](const double* z, float* f, Vector& s) HWY_ATTR {
    const Vector a = hn::Load(Tag(), z);
    s = hn::MulAdd(a, a, s);
    hn::Store(hn::DemoteTo(FloatTag(), a), FloatTag(), f);
  };
  for (std::size_t j = 0; j < width; j += hn::Lanes(Tag())) {
    take(z0 + j, f0 + j, s0);
    take(z1 + j, f1 + j, s1);
    take(z2 + j, f2 + j, s2);
    take(z3 + j, f3 + j, s3);
  }
  const auto total = [](Vector s) HWY_ATTR { return 1 + hn::GetLane(hn::SumOfLanes(Tag(), s)); };
  return {total(s0), total(s1), total(s2), total(s3)};
}

// Finds the lines of a row's texts; gives their part of the squared norm.
template <class T>
HWY_INLINE double find_lines(const Recipe& recipe, const T* HWY_RESTRICT cells, std::uint32_t* HWY_RESTRICT lines) {
  double square = 0;
  for (const Recipe::Texts& texts : recipe.texts) {
    const std::size_t level = level_of(static_cast<double>(cells[texts.column]), texts.line_of.size() - 1);
    *lines = texts.line_of[level];
    square += texts.squares[*lines++ - texts.first_line];
  }
  return square;
}

// Up to three vectors of numbers. Four rows of sums, three vectors of a line and one input fill the sixteen registers
// that most instruction sets have.
template <std::size_t kVectors>
struct Vectors {
  FloatVector x, y, z;

  HWY_INLINE explicit Vectors(const float* from) {
    const std::size_t lanes = hn::Lanes(Floats());
    x = hn::Load(Floats(), from);
    y = kVectors > 1 ? hn::Load(Floats(), from + lanes) : x;
    z = kVectors > 2 ? hn::Load(Floats(), from + 2 * lanes) : x;
  }

  HWY_INLINE void add(const Vectors& line) {
    x = hn::Add(x, line.x);
    if constexpr (kVectors > 1) y = hn::Add(y, line.y);
    if constexpr (kVectors > 2) z = hn::Add(z, line.z);
  }

  HWY_INLINE void add_product(float input, const Vectors& line) {
    const FloatVector a = hn::Set(Floats(), input);
    x = hn::MulAdd(a, line.x, x);
    if constexpr (kVectors > 1) y = hn::MulAdd(a, line.y, y);
    if constexpr (kVectors > 2) z = hn::MulAdd(a, line.z, z);
  }

  HWY_INLINE void store(float* to) const {
    const std::size_t lanes = hn::Lanes(Floats());
    hn::Store(x, Floats(), to);
    if constexpr (kVectors > 1) hn::Store(y, Floats(), to + lanes);
    if constexpr (kVectors > 2) hn::Store(z, Floats(), to + 2 * lanes);
  }
};

// The products of the tails of a row that are not 0, in order.
template <std::size_t kVectors>
HWY_INLINE void add_tail_products(const Recipe& recipe, const float* inputs, const float* lines, std::size_t width,
                                  Vectors<kVectors>& sums) {
  for (std::size_t j = padded(recipe.dense); j < recipe.inputs; j += hn::Lanes(Floats())) {
    const auto some = hn::Ne(hn::Load(Floats(), inputs + j), hn::Zero(Floats()));
    if (hn::AllFalse(Floats(), some)) continue;
    for (std::size_t k = j; k < std::min(j + hn::Lanes(Floats()), recipe.inputs); ++k)
      if (inputs[k] != 0) sums.add_product(inputs[k], Vectors<kVectors>(lines + k * width));
  }
}

// Outputs of a tile from `at` on. A sum is over the constant, texts and inputs, in this order.
template <std::size_t kVectors>
HWY_INLINE void multiply(const Recipe& recipe, const Tile& tile, std::size_t at,
                         const std::array<float*, kTileRows>& rows) {
  const std::size_t width = padded(recipe.outputs);
  const float* HWY_RESTRICT line = recipe.lines.data() + at;
  Vectors<kVectors> r0(line + recipe.inputs * width), r1 = r0, r2 = r0, r3 = r0;
  for (std::size_t t = 0; t < recipe.texts.size(); ++t) {
    r0.add(Vectors<kVectors>(line + tile.lines[0][t] * width));
    r1.add(Vectors<kVectors>(line + tile.lines[1][t] * width));
    r2.add(Vectors<kVectors>(line + tile.lines[2][t] * width));
    r3.add(Vectors<kVectors>(line + tile.lines[3][t] * width));
  }
  const auto [z0, z1, z2, z3] = tile.inputs;
  for (std::size_t j = 0; j < recipe.dense; ++j) {
    const Vectors<kVectors> w(line + j * width);
    r0.add_product(z0[j], w);
    r1.add_product(z1[j], w);
    r2.add_product(z2[j], w);
    r3.add_product(z3[j], w);
  }
  if (!recipe.tails.empty()) {
    add_tail_products(recipe, z0, line, width, r0);
    add_tail_products(recipe, z1, line, width, r1);
    add_tail_products(recipe, z2, line, width, r2);
    add_tail_products(recipe, z3, line, width, r3);
  }
  r0.store(rows[0] + at);
  r1.store(rows[1] + at);
  r2.store(rows[2] + at);
  r3.store(rows[3] + at);
}

HWY_INLINE void multiply_all(const Recipe& recipe, const Tile& tile, const std::array<float*, kTileRows>& rows) {
  const std::size_t lanes = hn::Lanes(Floats()), width = padded(recipe.outputs);
  std::size_t at = 0;
  for (; at + 3 * lanes <= width; at += 3 * lanes) multiply<3>(recipe, tile, at, rows);
  if (at + 2 * lanes <= width) {
    multiply<2>(recipe, tile, at, rows);
  } else if (at < width) {
    multiply<1>(recipe, tile, at, rows);
  }
}

// Where the last tile is not full, its last row is made again.
template <class T>
void cook_rows(const Recipe& recipe, const RowsOf<T>& cells, std::byte* scratch, float* rows, double* squares) {
  const Tile tile(recipe, scratch);
  const std::size_t width = padded(recipe.outputs);
  for (std::size_t first = 0; first < cells.rows; first += kTileRows) {
    std::array<std::size_t, kTileRows> index;
    RowsOfTile<T> row;
    std::array<float*, kTileRows> out;
    for (std::size_t r = 0; r < kTileRows; ++r) {
      index[r] = std::min(first + r, cells.rows - 1);
      row[r] = cells.data + index[r] * cells.stride;
      out[r] = rows + index[r] * width;
    }
    standardise(recipe, row, tile);
    for (std::size_t r = 0; r < kTileRows; ++r)
      add_indicators(recipe, row[r], tile.numbers[r] + recipe.first_indicator);
    add_tails(recipe, row, tile);
    const std::array<double, kTileRows> square = squares_of(recipe, tile);
    for (std::size_t r = 0; r < kTileRows; ++r)
      squares[index[r]] = square[r] + find_lines(recipe, row[r], tile.lines[r]);
    multiply_all(recipe, tile, out);
  }
}

void cook_f64(const Recipe& recipe, const RowsOf<double>& cells, std::byte* scratch, float* rows, double* squares) {
  cook_rows(recipe, cells, scratch, rows, squares);
}
void cook_f32(const Recipe& recipe, const RowsOf<float>& cells, std::byte* scratch, float* rows, double* squares) {
  cook_rows(recipe, cells, scratch, rows, squares);
}

}  // namespace tailcoat::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tailcoat {

HWY_EXPORT(cook_f64);
HWY_EXPORT(cook_f32);

std::size_t Recipe::scratch_bytes() const {
  const std::size_t width = padded(inputs);
  return kTileRows * (room() * sizeof(double) + width * sizeof(float) + texts.size() * sizeof(std::uint32_t));
}

void cook(const Recipe& recipe, const RowsOf<double>& cells, std::byte* scratch, float* rows, double* squares) {
  HWY_DYNAMIC_DISPATCH(cook_f64)(recipe, cells, scratch, rows, squares);
}

void cook(const Recipe& recipe, const RowsOf<float>& cells, std::byte* scratch, float* rows, double* squares) {
  HWY_DYNAMIC_DISPATCH(cook_f32)(recipe, cells, scratch, rows, squares);
}

}  // namespace tailcoat
#endif  // HWY_ONCE
