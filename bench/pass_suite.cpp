// The engine's exact pass against the same pass in plain floating point, against reading the same memory, and against
// two calls of BLAS. Bandwidth and clock of a shared machine change by the second: all four are timed in turn, round
// after round, and each figure is the median over the rounds of the ratio within a round.
#include <cblas.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <thread>
#include <vector>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "bench/pass_suite.cpp"
#include <hwy/foreach_target.h>

#include "bench/memory.hpp"
#include "bench/suite.hpp"
#include "tailcoat/engine/engine.hpp"
#include "tailcoat/engine/exact_sum.hpp"
#include "tailcoat/engine/pass.hpp"
#include "tailcoat/engine/simd-inl.hpp"
#include "tailcoat/engine/workers.hpp"

HWY_BEFORE_NAMESPACE();
namespace tailcoat::HWY_NAMESPACE {

// sum + s a, without rounding to integers.
class FloatAdder {
 public:
  HWY_INLINE explicit FloatAdder(const std::array<double, kTileRows>& s)
      : s0_(hn::Set(Tag(), s[0])), s1_(hn::Set(Tag(), s[1])), s2_(hn::Set(Tag(), s[2])), s3_(hn::Set(Tag(), s[3])) {}

  HWY_INLINE Vector operator()(Vector sum, Vector a0, Vector a1, Vector a2, Vector a3) const {
    return hn::MulAdd(s3_, a3, hn::MulAdd(s2_, a2, hn::MulAdd(s1_, a1, hn::MulAdd(s0_, a0, sum))));
  }

 private:
  Vector s0_, s1_, s2_, s3_;
};

void float_sweep_f64(const RowsOf<double>& fresh, const ReadyRows<double>& ready, const double* x, double* margins,
                     double* sums) {
  sweep<FloatAdder>(fresh, ready, x, margins, sums);
}

void float_sweep_f32(const RowsOf<float>& fresh, const ReadyRows<float>& ready, const double* x, double* margins,
                     double* sums) {
  sweep<FloatAdder>(fresh, ready, x, margins, sums);
}

}  // namespace tailcoat::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
extern "C" void openblas_set_num_threads(int threads);

namespace tailcoat {
HWY_EXPORT(float_sweep_f64);
HWY_EXPORT(float_sweep_f32);

namespace bench {
namespace {

constexpr int kRounds = 25;

void float_sweep(const RowsOf<double>& fresh, const ReadyRows<double>& ready, const double* x, double* margins,
                 double* sums) {
  HWY_DYNAMIC_DISPATCH(float_sweep_f64)(fresh, ready, x, margins, sums);
}
void float_sweep(const RowsOf<float>& fresh, const ReadyRows<float>& ready, const double* x, double* margins,
                 double* sums) {
  HWY_DYNAMIC_DISPATCH(float_sweep_f32)(fresh, ready, x, margins, sums);
}

void gemv(CBLAS_TRANSPOSE transpose, const RowsOf<double>& a, const double* x, double* y) {
  const int rows = static_cast<int>(a.rows), columns = static_cast<int>(a.columns);
  cblas_dgemv(CblasRowMajor, transpose, rows, columns, 1, a.data, columns, x, 1, 0, y, 1);
}
void gemv(CBLAS_TRANSPOSE transpose, const RowsOf<float>& a, const float* x, float* y) {
  const int rows = static_cast<int>(a.rows), columns = static_cast<int>(a.columns);
  cblas_sgemv(CblasRowMajor, transpose, rows, columns, 1, a.data, columns, x, 1, 0, y, 1);
}

// One data set on one number of threads, and the four ways to go over it.
template <class T>
class Contest {
 public:
  Contest(const T* values, std::size_t columns, std::size_t threads)
      : rows_{values, kRowBytes / (columns * sizeof(T)), columns, columns},
        engine_(threads),
        workers_(threads),
        labels_(rows_.rows),
        norms_(rows_.rows),
        x_(columns, 0.01),
        x_padded_(padded_copy(x_)),
        lattice_(*clip_lattice(1, columns, Gdp{0.2367})),
        data_(*engine_.load(rows_, labels_)),
        x_blas_(columns, T(0.01)),
        margins_(rows_.rows),
        slopes_(rows_.rows),
        gradient_(columns) {
    for (std::size_t i = 0; i < labels_.size(); ++i) labels_[i] = i % 3 == 0 ? 1 : -1;
    inverse_norms(rows_, norms_.data());
    openblas_set_num_threads(static_cast<int>(threads));
  }

  Row run() {
    std::vector<double> over_float, bandwidth, over_gemv, rates;
    for (int round = 0; round < kRounds; ++round) {
      const double read = best_seconds(1, [&] { read_rows(); });
      const double exact = best_seconds(1, [&] { exact_pass(); });
      const double plain = best_seconds(1, [&] { float_pass(); });
      const double blas = best_seconds(1, [&] { two_gemv(); });
      std::this_thread::sleep_for(std::chrono::milliseconds(60));  // the threads of BLAS spin on for a while
      over_float.push_back(exact / plain);
      bandwidth.push_back(read / exact);
      over_gemv.push_back(blas / exact);
      rates.push_back(static_cast<double>(kRowBytes) / exact * 1e-9);
    }
    return {{"d", static_cast<double>(rows_.columns)}, {"threads", static_cast<double>(engine_.threads())},
            {"exact_over_float", median(over_float)},  {"fraction_of_read_bandwidth", median(bandwidth)},
            {"over_two_gemv", median(over_gemv)},      {"gb_per_second", median(rates)}};
  }

 private:
  void exact_pass() { (void)engine_.clipped_gradient_sum({data_, kLoss}, x_, lattice_).ok(); }

  void float_pass() {
    const Clip clip{lattice_.clip_units / lattice_.clip_threshold, lattice_.clip_units};
    const GradientPass<T> pass{rows_, labels_.data(), norms_.data(), kLoss, x_padded_.data(), clip};
    const SumShape shape{rows_.rows, chunk_rows(rows_, workers_), rows_.columns, lattice_.clip_units};
    (void)exact_sum(workers_, shape, [&](LatticeSums& sums, std::size_t begin, std::size_t end) {
      add_gradients(pass, begin, end, sums, [](const auto&... arguments) { float_sweep(arguments...); });
    }).ok();
  }

  // Each thread its own stretch of memory, front to back.
  void read_rows() {
    const std::size_t numbers = kRowBytes / sizeof(double), share = numbers / workers_.count();
    (void)workers_.for_each_chunk(numbers, share, [&](std::size_t, std::size_t begin, std::size_t end) {
      read_all(reinterpret_cast<const double*>(rows_.data) + begin, end - begin);
    });
  }

  void two_gemv() {
    gemv(CblasNoTrans, rows_, x_blas_.data(), margins_.data());
    (void)workers_.for_each_chunk(rows_.rows, kMaxBlockRows, [&](std::size_t, std::size_t begin, std::size_t end) {
      std::array<double, kMaxBlockRows> margins, s;
      std::copy(&margins_[begin], &margins_[begin] + (end - begin), margins.begin());
      clipped_slopes(kLoss, {margins.data(), end - begin}, &labels_[begin], &norms_[begin], {1, 1}, s.data());
      std::transform(s.begin(), s.begin() + (end - begin), &slopes_[begin], [](double v) { return static_cast<T>(v); });
    });
    gemv(CblasTrans, rows_, slopes_.data(), gradient_.data());
  }

  inline static const Loss kLoss = LogisticLoss{};
  RowsOf<T> rows_;
  Engine engine_;
  Workers workers_;
  std::vector<double> labels_, norms_, x_;
  AlignedVector x_padded_;
  ClipLattice lattice_;
  LabelledData data_;
  std::vector<T> x_blas_, margins_, slopes_, gradient_;
};

template <class T>
void run_all(const Report& report, const char* storage, std::initializer_list<std::size_t> dimensions) {
  const Memory memory = huge_pages(kRowBytes);
  T* const values = static_cast<T*>(memory.get());
  fill(values, kRowBytes / sizeof(T));
  for (const std::size_t d : dimensions) {
    for (const std::size_t threads : {1, 2})
      report(fmt::format("pass, {}, d = {}, threads = {}", storage, d, threads), Contest<T>(values, d, threads).run());
  }
}

}  // namespace

void pass_suite(const Report& report) {
  run_all<double>(report, "f64", {16, 20, 64, 128, 512});
  run_all<float>(report, "f32", {20, 64, 512});
}

}  // namespace bench
}  // namespace tailcoat
#endif  // HWY_ONCE
