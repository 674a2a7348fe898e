// fails with: is private within this context
#include "tailcoat/privacy/sensitive.hpp"

int main() {
  const tailcoat::Sensitive<double> salary(41000.0);
#ifdef LEAK
  return salary.value_ > 40000;
#endif
}
