// fails with: use of deleted function
#include "tailcoat/privacy/sensitive.hpp"

int main() {
  const tailcoat::Sensitive<double> salary(41000.0);
#ifdef LEAK
  const tailcoat::Sensitive<double> again = salary;
#endif
}
