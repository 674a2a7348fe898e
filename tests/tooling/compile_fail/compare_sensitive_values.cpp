// fails with: no match for .*operator>
#include "tailcoat/privacy/sensitive.hpp"

int main() {
  const tailcoat::Sensitive<double> salary(41000.0), other(39000.0);
#ifdef LEAK
  return salary > other;
#endif
}
