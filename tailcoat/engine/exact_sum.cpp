#include "tailcoat/engine/exact_sum.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <memory>
#include <utility>

#include "tailcoat/base/rounding.hpp"
#include "tailcoat/engine/float_environment.hpp"

namespace tailcoat {
namespace {

constexpr double kExactIntegers = 0x1p53;

// Adds up numbers whose nearest integers are known, ties and signs included, with the kernels in use on this machine,
// and looks whether subnormal numbers survive. Fails on a build with -ffast-math.
bool arithmetic_is_exact() {
  const DefaultFloatEnvironment environment;
  constexpr double kValues[] = {0.5, 1.5, 2.5, -0.5, -1.5, 0x1p50, -0x1p50 + 0.5, 0.49999999999999994, 1e-300, 3};
  constexpr std::int64_t kTwiceRounded[] = {0, 4, 4, 0, -4, 2LL << 50, -(2LL << 50), 0, 0, 6};
  constexpr double kScalars[] = {1, 1, -1, 1};
  const std::size_t columns = std::size(kValues);
  ReadyRows<double> ready;
  ready.gather({.data = kValues, .rows = std::size(kScalars), .columns = columns, .stride = 0}, kScalars);
  LatticeSums sums(columns, 0x1p50);
  lattice_sweep({.columns = columns}, ready, nullptr, nullptr, sums.room_for(ready.count));
  std::vector<std::int64_t> totals(columns);
  sums.move_to(totals);
  volatile double smallest_normal = 0x1p-1022;
  return std::ranges::equal(totals, kTwiceRounded) && smallest_normal / 2 > 0;
}

Result<void> check_arithmetic() {
  static const bool exact = arithmetic_is_exact();
  if (exact) return {};
  return system_error("arithmetic is not IEEE 754; build tailcoat without -ffast-math and the like");
}

}  // namespace

Result<void> check_exact_sum(std::size_t rows, double largest_term) {
  TAILCOAT_CHECK(check_arithmetic());
  const double largest = mul_up(static_cast<double>(rows), add_up(largest_term, 1));
  if (largest <= kLargestTotal) return {};
  return refusal(fmt::format("{} rows of up to {:.4g} lattice units each do not fit in 62 bits; give a smaller mu",
                             rows, largest_term));
}

AlignedVector padded_copy(std::span<const double> values, double filler) {
  AlignedVector copy(padded(values.size()), filler);
  std::ranges::copy(values, copy.begin());
  return copy;
}

LatticeSums::LatticeSums(std::size_t size, double largest_term)
    : open_(padded(size)),
      closed_(size),
      most_terms_(static_cast<std::size_t>(div_down(kExactIntegers, add_up(largest_term, 1)))) {
  assert(most_terms_ >= kTileRows);
}

double* LatticeSums::room_for(std::size_t terms) {
  assert(terms <= most_terms_);
  if (terms_ + terms > most_terms_) flush();
  terms_ += terms;
  return open_.data();
}

void LatticeSums::flush() {
  for (std::size_t i = 0; i < closed_.size(); ++i) closed_[i] += static_cast<std::int64_t>(open_[i]);
  std::ranges::fill(open_, 0.0);
  terms_ = 0;
}

void LatticeSums::clear() {
  std::ranges::fill(open_, 0.0);
  std::ranges::fill(closed_, 0);
  terms_ = 0;
}

void LatticeSums::move_to(std::span<std::int64_t> totals) {
  flush();
  for (std::size_t i = 0; i < closed_.size(); ++i) totals[i] += std::exchange(closed_[i], 0);
}

std::size_t chunk_rows(std::size_t rows, std::size_t row_bytes, const Workers& workers) {
  constexpr std::size_t kLeastBytes = std::size_t{1} << 18, kMostBytes = std::size_t{1} << 23;
  const std::size_t share = rows / (8 * workers.count()) + 1;
  return std::clamp(share, kLeastBytes / row_bytes + 1, kMostBytes / row_bytes + 1);
}

Error error_of(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const std::bad_alloc&) {
    return system_error("not enough memory; use fewer columns or fewer threads");
  } catch (const Stopped&) {
    return system_error("stopped");
  } catch (const std::exception& exception) {
    return data_error(fmt::format("the gradient of a sample failed: {}", exception.what()));
  } catch (...) {
    return data_error("the gradient of a sample failed");
  }
}

Result<std::vector<std::int64_t>> exact_sum(Workers& workers, const SumShape& shape, const AddRows& add) try {
  TAILCOAT_CHECK(check_exact_sum(shape.rows, shape.largest_term));
  std::vector<std::unique_ptr<LatticeSums>> sums(workers.count());
  const auto thrown =
      workers.for_each_chunk(shape.rows, shape.chunk, [&](std::size_t worker, std::size_t begin, std::size_t end) {
        if (!sums[worker]) sums[worker] = std::make_unique<LatticeSums>(shape.size, shape.largest_term);
        add(*sums[worker], begin, end);
      });
  if (thrown) return error_of(thrown);
  std::vector<std::int64_t> totals(shape.size);
  for (const auto& part : sums) {
    if (part) part->move_to(totals);
  }
  return totals;
} catch (...) {
  return error_of(std::current_exception());
}

}  // namespace tailcoat
