// TextWindow: the part of a text file that is being parsed, kept contiguous while it grows, so that a parser sees whole
// records and a file of any length takes little memory.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "tailcoat/base/result.hpp"
#include "tailcoat/data/readers/input_file.hpp"

namespace tailcoat {

class TextWindow {
 public:
  // About `chunk` bytes are read at a time.
  TextWindow(ByteStream stream, std::size_t chunk);

  // The text not consumed yet. A line feed stands at end(), and 8 more bytes are readable: scans need no bounds.
  [[nodiscard]] const char* begin() const { return text_.data() + begin_; }
  [[nodiscard]] const char* end() const { return text_.data() + end_; }
  [[nodiscard]] std::size_t size() const { return end_ - begin_; }
  [[nodiscard]] const std::string& path() const { return stream_.path(); }

  void consume_to(const char* position) { begin_ = static_cast<std::size_t>(position - text_.data()); }

  // More text behind what is there, which must be less than kMaxRecordBytes (pointers into the window become invalid);
  // false if the file has no more. A last line without line feed is given one.
  Result<bool> extend();

  Result<void> rewind();

 private:
  [[nodiscard]] std::size_t capacity() const { return text_.size() - kPadding; }

  static constexpr std::size_t kPadding = 16;

  ByteStream stream_;
  std::vector<char> text_;
  std::size_t begin_ = 0, end_ = 0;
  bool complete_ = false;
};

}  // namespace tailcoat
