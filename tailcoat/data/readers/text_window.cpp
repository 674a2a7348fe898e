#include "tailcoat/data/readers/text_window.hpp"

#include <algorithm>
#include <cstring>

#include "tailcoat/data/open_rows.hpp"

namespace tailcoat {

TextWindow::TextWindow(ByteStream stream, std::size_t chunk)
    : stream_(std::move(stream)), text_(std::clamp<std::size_t>(chunk, 1, kMaxRecordBytes) + kPadding) {
  text_[0] = '\n';
}

Result<bool> TextWindow::extend() {
  if (complete_) return false;
  std::memmove(text_.data(), begin(), size());
  end_ = size();
  begin_ = 0;
  // Doubling keeps the work of parsing a long record again and again linear in its length.
  if (end_ > capacity() / 2) text_.resize(std::min(2 * capacity(), kMaxRecordBytes) + kPadding);
  TAILCOAT_TRY(count, stream_.read({text_.data() + end_, capacity() - end_}));
  complete_ = count < capacity() - end_;
  end_ += count;
  bool grown = count > 0;
  if (complete_ && end_ > 0 && text_[end_ - 1] != '\n') {
    text_[end_++] = '\n';
    grown = true;
  }
  text_[end_] = '\n';
  return grown;
}

Result<void> TextWindow::rewind() {
  begin_ = end_ = 0;
  text_[0] = '\n';
  complete_ = false;
  return stream_.rewind();
}

}  // namespace tailcoat
