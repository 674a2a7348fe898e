#include "tailcoat/engine/kernels.hpp"

#include <hwy/cache_control.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <variant>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tailcoat/engine/kernels.cpp"
#include <hwy/foreach_target.h>

#include "tailcoat/engine/simd-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tailcoat::HWY_NAMESPACE {

void lattice_sweep_f64(const RowsOf<double>& fresh, const ReadyRows<double>& ready, const double* x, double* margins,
                       double* sums) {
  sweep<LatticeAdder>(fresh, ready, x, margins, sums);
}

void lattice_sweep_f32(const RowsOf<float>& fresh, const ReadyRows<float>& ready, const double* x, double* margins,
                       double* sums) {
  sweep<LatticeAdder>(fresh, ready, x, margins, sums);
}

template <class T>
void gathered_margins_of(std::span<const T* const> rows, std::size_t columns, const double* x, double* margins) {
  for (std::size_t first = 0; first < rows.size(); first += kTileRows) {
    FreshTile<T> tile;
    for (std::size_t r = 0; r < kTileRows; ++r) {
      tile.index[r] = std::min(first + r, rows.size() - 1);
      tile.row[r] = rows[tile.index[r]];
    }
    sweep_tile<LatticeAdder, true, false, T>(tile, {}, columns, x, margins, nullptr);
  }
}

void gathered_margins_f64(std::span<const double* const> rows, std::size_t columns, const double* x, double* margins) {
  gathered_margins_of(rows, columns, x, margins);
}
void gathered_margins_f32(std::span<const float* const> rows, std::size_t columns, const double* x, double* margins) {
  gathered_margins_of(rows, columns, x, margins);
}

// Plain arithmetic on purpose: the loop vectorises for every loss, and vector and remainder give the same bits.
template <class Scale>
HWY_INLINE void slopes_of(const Loss& any_loss, std::span<const double> margins, const double* HWY_RESTRICT labels,
                          const double* HWY_RESTRICT inverse_norms, double most, const Scale& scale,
                          double* HWY_RESTRICT s) {
  std::visit(
      [&](const auto& loss) HWY_ATTR {
        const double* HWY_RESTRICT t = margins.data();
        const std::size_t count = margins.size();
        for (std::size_t i = 0; i < count; ++i) {
          const double limit = most * inverse_norms[i];
          const double slope = clamped(loss.derivative(t[i], labels[i]) * scale(i), -limit, limit);
          const double all = slope + zero_if_finite(t[i], labels[i]);
          s[i] = all == all ? all : 0;
        }
      },
      any_loss);
}

void clipped_slopes_of(const Loss& loss, std::span<const double> margins, const double* labels,
                       const double* inverse_norms, Clip clip, double* s) {
  slopes_of(
      loss, margins, labels, inverse_norms, clip.limit, [&](std::size_t) HWY_ATTR { return clip.scale; }, s);
}

void weighted_slopes_of(const Loss& loss, std::span<const double> margins, const double* labels,
                        const double* inverse_norms, const double* HWY_RESTRICT weights, Clip clip, double* s) {
  const auto scale = [=](std::size_t i) HWY_ATTR {
    const double w = weights[i];
    const double usable = w <= std::numeric_limits<double>::max() ? w : 0;
    return (usable >= 0 ? usable : 0) * clip.scale;
  };
  slopes_of(loss, margins, labels, inverse_norms, clip.limit, scale, s);
}

template <class T>
void inverse_norms_of(const RowsOf<T>& rows, double* result) {
  using TileTag = hn::CappedTag<double, kTileRows>;
  const auto one = hn::Set(TileTag(), 1.0);
  const double least = static_cast<double>(rows.columns) * 0x1p-960;
  for (std::size_t i = 0; i < tile_count(rows.rows); ++i) {
    const FreshTile<T> tile = fresh_tile(rows, i);
    const auto [a0, a1, a2, a3] = tile.row;
    Vector s0 = hn::Zero(Tag()), s1 = s0, s2 = s0, s3 = s0;
    for_each_vector(rows.columns, [&](std::size_t j, auto load) HWY_ATTR {
      const Vector b0 = load(a0 + j), b1 = load(a1 + j), b2 = load(a2 + j), b3 = load(a3 + j);
      s0 = hn::MulAdd(b0, b0, s0);
      s1 = hn::MulAdd(b1, b1, s1);
      s2 = hn::MulAdd(b2, b2, s2);
      s3 = hn::MulAdd(b3, b3, s3);
    });
    const auto total = [](Vector s) HWY_ATTR { return hn::GetLane(hn::SumOfLanes(Tag(), s)); };
    HWY_ALIGN const double squares[kTileRows] = {total(s0), total(s1), total(s2), total(s3)};
    HWY_ALIGN double inverse[kTileRows];
    for (std::size_t r = 0; r < kTileRows; r += hn::Lanes(TileTag()))
      hn::Store(hn::Div(one, hn::Sqrt(hn::Load(TileTag(), squares + r))), TileTag(), inverse + r);
    for (std::size_t r = 0; r < kTileRows; ++r) {
      const bool in_range = squares[r] >= least && squares[r] <= std::numeric_limits<double>::max();
      result[tile.index[r]] = in_range ? inverse[r] : 0;
    }
  }
}

void inverse_norms_f64(const RowsOf<double>& rows, double* result) { inverse_norms_of(rows, result); }
void inverse_norms_f32(const RowsOf<float>& rows, double* result) { inverse_norms_of(rows, result); }

// Four sums at once: one alone would wait for each addition.
template <class T>
HWY_INLINE double margin_of(const T* HWY_RESTRICT row, const double* HWY_RESTRICT x, std::size_t columns) {
  const std::size_t lanes = hn::Lanes(Tag()), tile = 4 * lanes;
  Vector t0 = hn::Zero(Tag()), t1 = t0, t2 = t0, t3 = t0;
  std::size_t j = 0;
  for (const WholeVector load; j + tile <= columns; j += tile) {
    t0 = hn::MulAdd(load(row + j), hn::Load(Tag(), x + j), t0);
    t1 = hn::MulAdd(load(row + j + lanes), hn::Load(Tag(), x + j + lanes), t1);
    t2 = hn::MulAdd(load(row + j + 2 * lanes), hn::Load(Tag(), x + j + 2 * lanes), t2);
    t3 = hn::MulAdd(load(row + j + 3 * lanes), hn::Load(Tag(), x + j + 3 * lanes), t3);
  }
  for_each_vector(columns - j, [&](std::size_t k, auto load)
                                   HWY_ATTR { t0 = hn::MulAdd(load(row + j + k), hn::Load(Tag(), x + j + k), t0); });
  return hn::GetLane(hn::SumOfLanes(Tag(), hn::Add(hn::Add(t0, t1), hn::Add(t2, t3))));
}

constexpr std::size_t kCacheLine = 64, kPrefetchDistance = 2048;  // bytes

// Stores are what a step has most of, so the margin of the next row is taken from x while it is in registers; the next
// row streams in meanwhile. Memory is asked for early, as it would idle while a slope is computed; addresses beyond the
// last row do no harm.
template <class T>
HWY_INLINE double step_of(const Step<T>& step, std::size_t columns, double* HWY_RESTRICT x, double* HWY_RESTRICT sum) {
  const std::size_t lanes = hn::Lanes(Tag()), tile = 4 * lanes;
  const Vector s = hn::Set(Tag(), step.scale), weight = hn::Set(Tag(), step.weight);
  const auto moved = [&](std::size_t j, auto load) HWY_ATTR {
    const Vector x_j = hn::Load(Tag(), x + j);
    hn::Store(hn::MulAdd(weight, x_j, hn::Load(Tag(), sum + j)), Tag(), sum + j);
    const Vector result = hn::MulAdd(s, load(step.row + j), x_j);
    hn::Store(result, Tag(), x + j);
    return result;
  };
  const auto add = [&](std::size_t j, auto load, Vector& t)
                       HWY_ATTR { t = hn::MulAdd(load(step.next + j), moved(j, load), t); };
  Vector t0 = hn::Zero(Tag()), t1 = t0, t2 = t0, t3 = t0;
  std::size_t j = 0;
  for (const WholeVector load; j + tile <= columns; j += tile) {
    for (std::size_t k = 0; k < tile; k += kCacheLine / sizeof(T))
      hwy::Prefetch(step.next + j + k + kPrefetchDistance / sizeof(T));
    add(j, load, t0);
    add(j + lanes, load, t1);
    add(j + 2 * lanes, load, t2);
    add(j + 3 * lanes, load, t3);
  }
  for (; j + lanes <= columns; j += lanes) add(j, WholeVector{}, t0);
  if (j < columns) add(j, PartOfVector{columns - j}, t0);
  return hn::GetLane(hn::SumOfLanes(Tag(), hn::Add(hn::Add(t0, t1), hn::Add(t2, t3))));
}

double margin_f64(const double* row, const double* x, std::size_t columns) { return margin_of(row, x, columns); }
double margin_f32(const float* row, const double* x, std::size_t columns) { return margin_of(row, x, columns); }
double step_f64(const Step<double>& step, std::size_t columns, double* x, double* sum) {
  return step_of(step, columns, x, sum);
}
double step_f32(const Step<float>& step, std::size_t columns, double* x, double* sum) {
  return step_of(step, columns, x, sum);
}

template <class T>
void count_outside_of(const RowsOf<T>& rows, const double* HWY_RESTRICT lower, const double* HWY_RESTRICT upper,
                      double* HWY_RESTRICT counts) {
  const Vector one = hn::Set(Tag(), 1.0);
  for (std::size_t i = 0; i < rows.rows; ++i) {
    const T* row = rows.data + i * rows.stride;
    for_each_vector(rows.columns, [&](std::size_t j, auto load) HWY_ATTR {
      const Vector a = load(row + j);
      const auto outside = hn::Or(hn::Lt(a, hn::Load(Tag(), lower + j)), hn::Gt(a, hn::Load(Tag(), upper + j)));
      const Vector count = hn::Load(Tag(), counts + j);
      hn::Store(hn::Add(count, hn::IfThenElseZero(outside, one)), Tag(), counts + j);
    });
  }
}

void count_outside_f64(const RowsOf<double>& rows, const double* lower, const double* upper, double* counts) {
  count_outside_of(rows, lower, upper, counts);
}
void count_outside_f32(const RowsOf<float>& rows, const double* lower, const double* upper, double* counts) {
  count_outside_of(rows, lower, upper, counts);
}

// The vectors of row j start where the vector with entry (j, j) does.
void outer_products(const std::array<const double*, kTileRows>& rows, std::size_t columns,
                    double* HWY_RESTRICT diagonal, double* HWY_RESTRICT products) {
  const auto [b0, b1, b2, b3] = rows;
  const std::size_t lanes = hn::Lanes(Tag()), width = padded(columns);
  const Vector m = hn::Set(Tag(), 0x1.8p52);
  for (std::size_t j = 0; j < width; j += lanes) {
    const Vector a0 = hn::Load(Tag(), b0 + j), a1 = hn::Load(Tag(), b1 + j);
    const Vector a2 = hn::Load(Tag(), b2 + j), a3 = hn::Load(Tag(), b3 + j);
    const Vector first = hn::Sub(hn::MulAdd(a0, a0, m), hn::NegMulAdd(a1, a1, m));
    const Vector second = hn::Sub(hn::MulAdd(a2, a2, m), hn::NegMulAdd(a3, a3, m));
    hn::Store(hn::Add(hn::Load(Tag(), diagonal + j), hn::Add(first, second)), Tag(), diagonal + j);
  }
  for (std::size_t j = 0; j < columns; ++j) {
    const double root = std::numbers::sqrt2;
    const LatticeAdder adder({root * b0[j], root * b1[j], root * b2[j], root * b3[j]});
    double* HWY_RESTRICT sums = products + j * width;
    for (std::size_t k = j / lanes * lanes; k < width; k += lanes) {
      const Vector sum = hn::Load(Tag(), sums + k);
      const Vector a0 = hn::Load(Tag(), b0 + k), a1 = hn::Load(Tag(), b1 + k);
      const Vector a2 = hn::Load(Tag(), b2 + k), a3 = hn::Load(Tag(), b3 + k);
      hn::Store(adder(sum, a0, a1, a2, a3), Tag(), sums + k);
    }
  }
}

}  // namespace tailcoat::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tailcoat {

HWY_EXPORT(lattice_sweep_f64);
HWY_EXPORT(lattice_sweep_f32);
HWY_EXPORT(gathered_margins_f64);
HWY_EXPORT(gathered_margins_f32);
HWY_EXPORT(clipped_slopes_of);
HWY_EXPORT(weighted_slopes_of);
HWY_EXPORT(inverse_norms_f64);
HWY_EXPORT(inverse_norms_f32);
HWY_EXPORT(margin_f64);
HWY_EXPORT(margin_f32);
HWY_EXPORT(step_f64);
HWY_EXPORT(step_f32);
HWY_EXPORT(count_outside_f64);
HWY_EXPORT(count_outside_f32);
HWY_EXPORT(outer_products);

void lattice_sweep(const RowsOf<double>& fresh, const ReadyRows<double>& ready, const double* x, double* margins,
                   double* sums) {
  HWY_DYNAMIC_DISPATCH(lattice_sweep_f64)(fresh, ready, x, margins, sums);
}

void lattice_sweep(const RowsOf<float>& fresh, const ReadyRows<float>& ready, const double* x, double* margins,
                   double* sums) {
  HWY_DYNAMIC_DISPATCH(lattice_sweep_f32)(fresh, ready, x, margins, sums);
}

void gathered_margins(std::span<const double* const> rows, std::size_t columns, const double* x, double* margins) {
  HWY_DYNAMIC_DISPATCH(gathered_margins_f64)(rows, columns, x, margins);
}

void gathered_margins(std::span<const float* const> rows, std::size_t columns, const double* x, double* margins) {
  HWY_DYNAMIC_DISPATCH(gathered_margins_f32)(rows, columns, x, margins);
}

void prefetch_row(const void* row, std::size_t bytes) {
  constexpr std::size_t kLine = 64, kMostLines = 16;  // the memory prefetcher follows a longer row by itself
  const char* const from = static_cast<const char*>(row);
  for (std::size_t at = 0; at < std::min(bytes, kMostLines * kLine); at += kLine) hwy::Prefetch(from + at);
}

void clipped_slopes(const Loss& loss, std::span<const double> margins, const double* labels,
                    const double* inverse_norms, Clip clip, double* s, const double* weights) {
  if (weights == nullptr)
    HWY_DYNAMIC_DISPATCH(clipped_slopes_of)(loss, margins, labels, inverse_norms, clip, s);
  else
    HWY_DYNAMIC_DISPATCH(weighted_slopes_of)(loss, margins, labels, inverse_norms, weights, clip, s);
}

void inverse_norms(const RowsOf<double>& rows, double* result) {
  HWY_DYNAMIC_DISPATCH(inverse_norms_f64)(rows, result);
}

void inverse_norms(const RowsOf<float>& rows, double* result) { HWY_DYNAMIC_DISPATCH(inverse_norms_f32)(rows, result); }

double row_margin(const double* row, const double* x, std::size_t columns) {
  return HWY_DYNAMIC_DISPATCH(margin_f64)(row, x, columns);
}

double row_margin(const float* row, const double* x, std::size_t columns) {
  return HWY_DYNAMIC_DISPATCH(margin_f32)(row, x, columns);
}

double step_and_margin(const Step<double>& step, std::size_t columns, double* x, double* sum) {
  return HWY_DYNAMIC_DISPATCH(step_f64)(step, columns, x, sum);
}

double step_and_margin(const Step<float>& step, std::size_t columns, double* x, double* sum) {
  return HWY_DYNAMIC_DISPATCH(step_f32)(step, columns, x, sum);
}

void count_outside(const RowsOf<double>& rows, const double* lower, const double* upper, double* counts) {
  HWY_DYNAMIC_DISPATCH(count_outside_f64)(rows, lower, upper, counts);
}

void count_outside(const RowsOf<float>& rows, const double* lower, const double* upper, double* counts) {
  HWY_DYNAMIC_DISPATCH(count_outside_f32)(rows, lower, upper, counts);
}

void add_outer_products(const std::array<const double*, kTileRows>& rows, std::size_t columns, double* diagonal,
                        double* products) {
  HWY_DYNAMIC_DISPATCH(outer_products)(rows, columns, diagonal, products);
}

}  // namespace tailcoat
#endif  // HWY_ONCE
