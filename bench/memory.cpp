#include "bench/memory.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <new>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "bench/memory.cpp"
#include <hwy/foreach_target.h>

#include "tailcoat/engine/simd-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tailcoat::HWY_NAMESPACE {

// The sum is there so that the loads are.
double sum_of(const double* from, std::size_t count) {
  const std::size_t lanes = hn::Lanes(Tag());
  Vector s0 = hn::Zero(Tag()), s1 = s0, s2 = s0, s3 = s0;
  for (std::size_t i = 0; i < count; i += 4 * lanes) {
    s0 = hn::Add(s0, hn::LoadU(Tag(), from + i));
    s1 = hn::Add(s1, hn::LoadU(Tag(), from + i + lanes));
    s2 = hn::Add(s2, hn::LoadU(Tag(), from + i + 2 * lanes));
    s3 = hn::Add(s3, hn::LoadU(Tag(), from + i + 3 * lanes));
  }
  return hn::GetLane(hn::SumOfLanes(Tag(), hn::Add(hn::Add(s0, s1), hn::Add(s2, s3))));
}

}  // namespace tailcoat::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tailcoat {
HWY_EXPORT(sum_of);

namespace bench {

Memory huge_pages(std::size_t bytes) {
  constexpr std::size_t kHugePage = std::size_t{1} << 21;
  void* const memory = std::aligned_alloc(kHugePage, bytes);
  if (memory == nullptr) throw std::bad_alloc();
  madvise(memory, bytes, MADV_HUGEPAGE);
  return Memory(memory);
}

void read_all(const double* from, std::size_t count) {
  const double sum = HWY_DYNAMIC_DISPATCH(sum_of)(from, count);
  asm volatile("" : : "x"(sum));  // keeps it alive without storing it
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

}  // namespace bench
}  // namespace tailcoat
#endif  // HWY_ONCE
