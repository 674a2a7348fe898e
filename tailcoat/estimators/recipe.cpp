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
  double* numbers;                              // of one row: room()
  std::array<float*, kTileRows> inputs;         // padded(inputs) each
  std::array<std::uint32_t*, kTileRows> lines;  // one for each text column

  Tile(const Recipe& recipe, std::byte* scratch) : numbers(reinterpret_cast<double*>(scratch)) {
    const std::size_t width = padded(recipe.inputs);
    auto* const floats = reinterpret_cast<float*>(scratch + recipe.room() * sizeof(double));
    auto* const line = reinterpret_cast<std::uint32_t*>(floats + kTileRows * width);
    for (std::size_t r = 0; r < kTileRows; ++r) {
      inputs[r] = floats + r * width;
      lines[r] = line + r * recipe.texts.size();
    }
    std::fill_n(numbers, recipe.room(), 0.0);  // those beyond the last input stay
  }
};

// The last vector of a run may write where later inputs are, which come after it, or beyond, where it writes zeros.
template <class T>
HWY_INLINE void standardise(const Recipe& recipe, const T* HWY_RESTRICT cells, double* HWY_RESTRICT z) {
  for (const Recipe::Run& run : recipe.runs) {
    for_each_vector(run.count, [&](std::size_t j, auto load) HWY_ATTR {
      const std::size_t k = run.input + j;
      const Vector raw = hn::MulAdd(load(cells + run.column + j), hn::LoadU(Tag(), &recipe.factor[k]),
                                    hn::LoadU(Tag(), &recipe.shift[k]));
      const Vector cut = hn::Min(hn::Max(raw, hn::LoadU(Tag(), &recipe.low[k])), hn::LoadU(Tag(), &recipe.high[k]));
      hn::StoreU(hn::IfThenElseZero(hn::Eq(raw, raw), cut), Tag(), z + k);
    });
  }
}

template <class T>
HWY_INLINE void add_tails(const Recipe& recipe, const T* HWY_RESTRICT cells, double* HWY_RESTRICT z) {
  for (const Recipe::Tail& tail : recipe.tails) {
    const auto cell = static_cast<double>(cells[tail.column]);
    const double cut = cell < tail.low ? tail.low : (cell > tail.high ? tail.high : cell);
    const double inner = cut < tail.knot_low ? tail.knot_low : (cut > tail.knot_high ? tail.knot_high : cut);
    *z++ = cell == cell ? (cut - inner) * tail.factor : 0;
  }
  for (const Recipe::Missing& missing : recipe.missing)
    *z++ = cells[missing.column] == cells[missing.column] ? missing.present : missing.missing;
}

// Gives the squared norm of the row, with its constant 1.
template <class T>
HWY_INLINE double prepare(const Recipe& recipe, const T* HWY_RESTRICT cells, double* HWY_RESTRICT z,
                          float* HWY_RESTRICT inputs, std::uint32_t* HWY_RESTRICT lines) {
  standardise(recipe, cells, z);
  add_tails(recipe, cells, z + recipe.numbers());
  Vector squares = hn::Zero(Tag());
  for (std::size_t j = 0; j < padded(recipe.inputs); j += hn::Lanes(Tag())) {
    const Vector z_j = hn::Load(Tag(), z + j);
    squares = hn::MulAdd(z_j, z_j, squares);
    hn::Store(hn::DemoteTo(FloatTag(), z_j), FloatTag(), inputs + j);
  }
  double square = 1 + hn::GetLane(hn::SumOfLanes(Tag(), squares));
  for (const Recipe::Texts& texts : recipe.texts) {
    const std::size_t level = level_of(static_cast<double>(cells[texts.column]), texts.line_of.size() - 1);
    *lines = texts.line_of[level];
    square += texts.squares[*lines++ - texts.first_line];
  }
  return square;
}

// kVectors vectors of the outputs of a tile, from `at` on. A sum is over the constant, texts and inputs, in this order.
template <std::size_t kVectors>
HWY_INLINE void multiply(const Recipe& recipe, const Tile& tile, std::size_t at,
                         const std::array<float*, kTileRows>& rows) {
  const std::size_t lanes = hn::Lanes(Floats()), width = padded(recipe.outputs);
  const float* HWY_RESTRICT line = recipe.lines.data() + at;
  const float* constant = line + recipe.inputs * width;
  FloatVector sums[kTileRows][kVectors];
  for (std::size_t v = 0; v < kVectors; ++v)
    for (std::size_t r = 0; r < kTileRows; ++r) sums[r][v] = hn::Load(Floats(), constant + v * lanes);
  for (std::size_t t = 0; t < recipe.texts.size(); ++t)
    for (std::size_t r = 0; r < kTileRows; ++r)
      for (std::size_t v = 0; v < kVectors; ++v)
        sums[r][v] = hn::Add(sums[r][v], hn::Load(Floats(), line + tile.lines[r][t] * width + v * lanes));
  const auto [z0, z1, z2, z3] = tile.inputs;
  for (std::size_t j = 0; j < recipe.inputs; ++j, line += width) {
    const FloatVector a0 = hn::Set(Floats(), z0[j]), a1 = hn::Set(Floats(), z1[j]);
    const FloatVector a2 = hn::Set(Floats(), z2[j]), a3 = hn::Set(Floats(), z3[j]);
    for (std::size_t v = 0; v < kVectors; ++v) {
      const FloatVector w = hn::Load(Floats(), line + v * lanes);
      sums[0][v] = hn::MulAdd(a0, w, sums[0][v]);
      sums[1][v] = hn::MulAdd(a1, w, sums[1][v]);
      sums[2][v] = hn::MulAdd(a2, w, sums[2][v]);
      sums[3][v] = hn::MulAdd(a3, w, sums[3][v]);
    }
  }
  for (std::size_t v = 0; v < kVectors; ++v)
    for (std::size_t r = 0; r < kTileRows; ++r) hn::Store(sums[r][v], Floats(), rows[r] + at + v * lanes);
}

HWY_INLINE void multiply_all(const Recipe& recipe, const Tile& tile, const std::array<float*, kTileRows>& rows) {
  const std::size_t lanes = hn::Lanes(Floats()), width = padded(recipe.outputs);
  std::size_t at = 0;
  for (; at + 3 * lanes <= width; at += 3 * lanes) multiply<3>(recipe, tile, at, rows);
  for (; at < width; at += lanes) multiply<1>(recipe, tile, at, rows);
}

// Where the last tile is not full, its last row is made again.
template <class T>
void cook_rows(const Recipe& recipe, const RowsOf<T>& cells, std::byte* scratch, float* rows, double* squares) {
  const Tile tile(recipe, scratch);
  for (std::size_t first = 0; first < cells.rows; first += kTileRows) {
    std::array<float*, kTileRows> out;
    for (std::size_t r = 0; r < kTileRows; ++r) {
      const std::size_t i = std::min(first + r, cells.rows - 1);
      squares[i] = prepare(recipe, cells.data + i * cells.stride, tile.numbers, tile.inputs[r], tile.lines[r]);
      out[r] = rows + i * padded(recipe.outputs);
    }
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
  return room() * sizeof(double) + kTileRows * (width * sizeof(float) + texts.size() * sizeof(std::uint32_t));
}

void cook(const Recipe& recipe, const RowsOf<double>& cells, std::byte* scratch, float* rows, double* squares) {
  HWY_DYNAMIC_DISPATCH(cook_f64)(recipe, cells, scratch, rows, squares);
}

void cook(const Recipe& recipe, const RowsOf<float>& cells, std::byte* scratch, float* rows, double* squares) {
  HWY_DYNAMIC_DISPATCH(cook_f32)(recipe, cells, scratch, rows, squares);
}

}  // namespace tailcoat
#endif  // HWY_ONCE
