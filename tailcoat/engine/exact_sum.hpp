// Sums of integers over all rows, on all threads: the same bits for any number of threads and any split of the rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <new>
#include <span>
#include <vector>

#include "tailcoat/base/result.hpp"
#include "tailcoat/engine/kernels.hpp"
#include "tailcoat/engine/workers.hpp"

namespace tailcoat {

// Doubles that start on the boundary of a vector.
template <class T>
struct VectorAllocator {
  using value_type = T;
  VectorAllocator() = default;
  template <class U>
  VectorAllocator(const VectorAllocator<U>&) {}
  T* allocate(std::size_t count) {
    return static_cast<T*>(::operator new (count * sizeof(T), std::align_val_t{kVectorAlignment}));
  }
  void deallocate(T* memory, std::size_t) { ::operator delete (memory, std::align_val_t{kVectorAlignment}); }
  bool operator==(const VectorAllocator&) const { return true; }
};
using AlignedVector = std::vector<double, VectorAllocator<double>>;

// `values`, followed by `filler` up to a whole number of vectors.
AlignedVector padded_copy(std::span<const double> values, double filler = 0);

// The running sums of one worker: integers in doubles, moved to 64-bit integers before they could reach 2^53.
class LatticeSums {
 public:
  // Each term is an integer of magnitude below largest_term + 1; largest_term <= 2^51.
  LatticeSums(std::size_t size, double largest_term);

  [[nodiscard]] std::size_t most_terms() const { return most_terms_; }

  // padded(size) doubles, to each of which up to `terms` <= most_terms() terms may now be added.
  double* room_for(std::size_t terms);

  // Starts anew from zero.
  void clear();

  // Adds the sums to `totals`, and starts anew from zero.
  void move_to(std::span<std::int64_t> totals);

 private:
  void flush();

  AlignedVector open_;
  std::vector<std::int64_t> closed_;
  std::size_t terms_ = 0, most_terms_;
};

// Refuses sums of `rows` terms of up to `largest_term` that might exceed kLargestTotal, and arithmetic that is not IEEE
// 754.
Result<void> check_exact_sum(std::size_t rows, double largest_term);

// Totals beyond this would leave no room for noise in 64 bits.
inline constexpr double kLargestTotal = 0x1p62;

struct SumShape {
  std::size_t rows;
  std::size_t chunk;    // rows handed to a thread at a time
  std::size_t size;     // numbers per row
  double largest_term;  // in magnitude, before rounding to an integer
};

// sum over the rows of what `add` adds for them. Refused as check_exact_sum says. What `add` throws comes back as an
// Error.
using AddRows = std::function<void(LatticeSums& sums, std::size_t begin, std::size_t end)>;
Result<std::vector<std::int64_t>> exact_sum(Workers& workers, const SumShape& shape, const AddRows& add);

// Chunks that are large enough to stream and small enough to share out evenly.
std::size_t chunk_rows(std::size_t rows, std::size_t row_bytes, const Workers& workers);
template <class T>
std::size_t chunk_rows(const RowsOf<T>& rows, const Workers& workers) {
  return chunk_rows(rows.rows, rows.columns * sizeof(T), workers);
}

// For what a job has thrown.
Error error_of(const std::exception_ptr& thrown);

}  // namespace tailcoat
