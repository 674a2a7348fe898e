// For the lifetime of the object, this thread computes as IEEE 754 says: rounding to nearest, subnormal numbers kept. A
// library built with -ffast-math may have switched that off for the whole process; the bounds of lattice.md need it on.
#pragma once

#include <cfenv>

namespace tailcoat {

class DefaultFloatEnvironment {
 public:
  DefaultFloatEnvironment() {
    std::fegetenv(&before_);
    std::fesetenv(FE_DFL_ENV);
  }
  ~DefaultFloatEnvironment() { std::fesetenv(&before_); }
  DefaultFloatEnvironment(const DefaultFloatEnvironment&) = delete;
  DefaultFloatEnvironment& operator=(const DefaultFloatEnvironment&) = delete;

 private:
  std::fenv_t before_;
};

}  // namespace tailcoat
