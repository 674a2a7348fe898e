// A progress bar on standard error, where that is a terminal; nothing otherwise.
#pragma once

#include <cstddef>
#include <mutex>

namespace tailcoat::cli {

class ProgressBar {
 public:
  ProgressBar();
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  // From any thread, in any order.
  void show(std::size_t done, std::size_t total);

 private:
  bool terminal_;
  std::mutex mutex_;
  std::size_t shown_ = 0;  // percent
};

}  // namespace tailcoat::cli
