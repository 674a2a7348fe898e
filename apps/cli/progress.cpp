#include "progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <string>

namespace tailcoat::cli {

ProgressBar::ProgressBar() : terminal_(isatty(STDERR_FILENO) == 1) {}

ProgressBar::~ProgressBar() {
  if (terminal_ && shown_ > 0) fmt::print(stderr, "\r\033[K");
}

void ProgressBar::show(std::size_t done, std::size_t total) {
  if (!terminal_ || total == 0) return;
  const std::lock_guard lock(mutex_);
  const std::size_t percent = 100 * done / total;
  if (percent <= shown_) return;
  shown_ = percent;
  const std::size_t bars = percent * 40 / 100;
  fmt::print(stderr, "\r[{}{}] {:>3} %", std::string(bars, '#'), std::string(40 - bars, '.'), percent);
  std::fflush(stderr);
}

}  // namespace tailcoat::cli
