// ForkGuard: tells the process that made it from its children after fork(2). Its page of memory is wiped by the kernel
// in every child, whatever pid the child gets.
#pragma once

#include <memory>

#include "tailcoat/base/result.hpp"

namespace tailcoat {

class ForkGuard {
 public:
  static Result<std::unique_ptr<ForkGuard>> create();
  ~ForkGuard();
  ForkGuard(const ForkGuard&) = delete;
  ForkGuard& operator=(const ForkGuard&) = delete;

  [[nodiscard]] bool in_child() const { return *mark_ == 0; }

 private:
  explicit ForkGuard(volatile unsigned char* mark) : mark_(mark) {}

  volatile unsigned char* mark_;
};

}  // namespace tailcoat
