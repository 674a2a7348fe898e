// fails with: no match for .*operator<<
#include <iostream>

#include "tailcoat/privacy/sensitive.hpp"

int main() {
  const tailcoat::Sensitive<double> salary(41000.0);
#ifdef LEAK
  std::cout << salary;
#endif
}
