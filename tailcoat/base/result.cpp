#include "tailcoat/base/result.hpp"

#include <cstdio>
#include <cstdlib>

namespace tailcoat {

void stop_at(const Error& error) {
  std::fprintf(stderr, "tailcoat: %s\n", error.message.c_str());
  std::abort();
}

}  // namespace tailcoat
