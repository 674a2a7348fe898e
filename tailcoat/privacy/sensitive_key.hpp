// The only way into a Sensitive<T>. Not installed, and refused by the compiler outside engine/ and mechanisms/.
#pragma once

#ifndef TAILCOAT_MAY_OPEN_SENSITIVE
#error "only engine/ and mechanisms/ may open a Sensitive value; release it through a mechanism instead"
#endif

#include "tailcoat/privacy/sensitive.hpp"

namespace tailcoat {

struct SensitiveKey {
  template <class T>
  static const T& open(const Sensitive<T>& sensitive) {
    return sensitive.value_;
  }
  template <class T>
  static T take(Sensitive<T>&& sensitive) {
    return std::move(sensitive.value_);
  }
};

}  // namespace tailcoat
