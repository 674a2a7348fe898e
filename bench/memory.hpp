// What the suites that go over rows share: the rows, and the fastest way to read them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

namespace tailcoat::bench {

inline constexpr std::size_t kRowBytes = std::size_t{1}
                                         << 29;  // 16 times the third-level cache of the machine of docs/speed.md

struct Freed {
  void operator()(void* memory) const { std::free(memory); }
};
using Memory = std::unique_ptr<void, Freed>;

// Memory in huge pages, so that the figures are about the kernels and not about address translation.
Memory huge_pages(std::size_t bytes);

// Reads `count` numbers, a multiple of 64, and no more than that.
void read_all(const double* from, std::size_t count);

double median(std::vector<double> values);

// Uniform in (-1, 1).
template <class T>
void fill(T* values, std::size_t count) {
  std::uint64_t state = 1;
  for (std::size_t i = 0; i < count; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    values[i] = static_cast<T>(static_cast<double>(static_cast<std::int64_t>(state)) * 0x1p-63);
  }
}

}  // namespace tailcoat::bench
