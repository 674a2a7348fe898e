// fails with: is private within this context
#include <utility>

#include "tailcoat/engine/lattice.hpp"

long long first(const tailcoat::SensitiveSum& sum) {
#ifdef LEAK
  return sum.units.value_[0];
#else
  return static_cast<long long>(sum.size);
#endif
}

int main() {}
