#include "tailcoat/data/buffer.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <limits>
#include <utility>

namespace tailcoat {
namespace {

constexpr std::size_t kPage = 4096;
constexpr std::size_t kHugePage = std::size_t{1} << 21;
constexpr std::size_t kLarge = 2 * kHugePage;

// Whole pages, huge ones from kLarge on; the caller has checked that this does not overflow.
std::size_t rounded(std::size_t bytes) {
  const std::size_t unit = bytes >= kLarge ? kHugePage : kPage;
  return (bytes + unit - 1) / unit * unit;
}

void* map(std::size_t bytes, int protection) {
  return mmap(nullptr, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

// Address space of a large size that begins on a huge page, without memory behind it. MAP_FAILED if there is none.
void* aligned_space(std::size_t bytes) {
  void* space = map(bytes + kHugePage, PROT_NONE);
  if (space == MAP_FAILED) return MAP_FAILED;
  auto* begin = static_cast<std::byte*>(space);
  const std::size_t before = (kHugePage - reinterpret_cast<std::uintptr_t>(space) % kHugePage) % kHugePage;
  if (before > 0) munmap(begin, before);
  munmap(begin + before + bytes, kHugePage - before);
  return begin + before;
}

// Huge pages stay whole only when they move between aligned addresses; without room for that any address will do.
void* remap(void* old, std::size_t old_size, std::size_t size) {
  if (size > old_size && size >= kLarge) {
    if (void* space = aligned_space(size); space != MAP_FAILED) {
      // On failure the kernel may have freed `space` for other threads already: it is not ours to unmap.
      return mremap(old, old_size, size, MREMAP_MAYMOVE | MREMAP_FIXED, space);
    }
  }
  return mremap(old, old_size, size, MREMAP_MAYMOVE);
}

Error refused(std::size_t bytes) {
  return system_error(
      fmt::format("{:.1f} MB of memory are not available; use f32 storage, fewer columns or rows, or a larger machine",
                  static_cast<double>(bytes) / 1e6));
}

}  // namespace

Buffer::Buffer(Buffer&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

Buffer& Buffer::operator=(Buffer&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  return *this;
}

Buffer::~Buffer() {
  if (data_ != nullptr) munmap(data_, size_);
}

Result<void> Buffer::resize(std::size_t bytes) {
  if (bytes > std::numeric_limits<std::ptrdiff_t>::max() - kHugePage) return refused(bytes);
  const std::size_t size = rounded(bytes);
  if (size == 0) {
    *this = Buffer();
    return {};
  }
  if (size_ == 0) {  // begins as one page and grows from there, which is what aligns it
    void* page = map(kPage, PROT_READ | PROT_WRITE);
    if (page == MAP_FAILED) return refused(bytes);
    data_ = static_cast<std::byte*>(page);
    size_ = kPage;
  }
  if (size == size_) return {};
  void* block = remap(data_, size_, size);
  if (block == MAP_FAILED) return refused(bytes);
  data_ = static_cast<std::byte*>(block);
  size_ = size;
  if (size >= kLarge) madvise(block, size, MADV_HUGEPAGE);
  return {};
}

}  // namespace tailcoat
