// fails with: ignoring return(ed)? value
#include "tailcoat/base/result.hpp"

#ifdef LEAK
#pragma GCC diagnostic error "-Wunused-result"
#endif

tailcoat::Result<void> charge() { return tailcoat::refusal("budget spent"); }

int main() {
#ifdef LEAK
  charge();
#else
  return charge().ok();
#endif
}
