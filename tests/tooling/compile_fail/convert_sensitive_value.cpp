// fails with: cannot convert
#include "tailcoat/privacy/sensitive.hpp"

int main() {
  const tailcoat::Sensitive<double> salary(41000.0);
#ifdef LEAK
  const double leaked = salary;
  return leaked > 40000;
#endif
}
