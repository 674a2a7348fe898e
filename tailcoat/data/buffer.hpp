// Buffer: one owned block of memory that grows and shrinks by moving pages instead of copying bytes, so that the peak
// of building a table is the table. Pages never written cost nothing. What the system refuses is an Error.
#pragma once

#include <cstddef>

#include "tailcoat/base/result.hpp"

namespace tailcoat {

class Buffer {
 public:
  Buffer() = default;
  Buffer(Buffer&& other) noexcept;
  Buffer& operator=(Buffer&& other) noexcept;
  ~Buffer();

  // Room for at least `bytes`; what was written below that stays, also on failure.
  Result<void> resize(std::size_t bytes);

  // Aligned to a page (to 2 MiB where the buffer is large). Moves with resize.
  [[nodiscard]] std::byte* data() { return data_; }
  [[nodiscard]] const std::byte* data() const { return data_; }
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace tailcoat
