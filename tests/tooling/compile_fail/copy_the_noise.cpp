// fails with: use of deleted function
#include "tailcoat/noise/bit_source.hpp"

void repeat(const tailcoat::BitSource& source) {
#ifdef LEAK
  tailcoat::BitSource again = source;
#else
  (void)source;
#endif
}

int main() {}
