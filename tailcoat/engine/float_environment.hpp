// For the lifetime of the object, this thread computes as IEEE 754 says: rounding to nearest, subnormal numbers kept. A
// library built with -ffast-math may have switched that off for the whole process; the bounds of lattice.md need it on.
#pragma once

#include <cfenv>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace tailcoat {

class DefaultFloatEnvironment {
 public:
  DefaultFloatEnvironment() : changed_(!is_default()) {
    if (!changed_) return;
    std::fegetenv(&before_);
    std::fesetenv(FE_DFL_ENV);
  }
  ~DefaultFloatEnvironment() {
    if (changed_)
      std::fesetenv(&before_);
    else if (!is_default())
      std::fesetenv(FE_DFL_ENV);  // a callback has changed it
  }
  DefaultFloatEnvironment(const DefaultFloatEnvironment&) = delete;
  DefaultFloatEnvironment& operator=(const DefaultFloatEnvironment&) = delete;

 private:
  // Setting the environment takes longer than a small step of a descent. Doubles are computed as the control register
  // says: all but its flags of past exceptions must be as after start-up.
  static bool is_default() {
#if defined(__x86_64__)
    constexpr unsigned kFlags = 0x3f, kDefault = 0x1f80;
    return (_mm_getcsr() & ~kFlags) == kDefault;
#else
    return false;
#endif
  }

  bool changed_;
  std::fenv_t before_;
};

}  // namespace tailcoat
