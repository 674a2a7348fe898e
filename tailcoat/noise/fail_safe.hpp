// Stops the program when a rule is broken under which noise would repeat or lose its proof. Unlike assert it is there
// in every build: a run without an answer is a nuisance, an answer without noise is a leak.
#pragma once

#include <cstdio>
#include <cstdlib>

namespace tailcoat {

inline void abort_unless(bool holds, const char* rule) {
  if (holds) return;
  std::fprintf(stderr, "tailcoat: %s\n", rule);
  std::abort();
}

}  // namespace tailcoat
