// Sensitive<T>: a value that depends on the data and may not be read. It can be made and moved by anyone; it is opened
// with a SensitiveKey, which only the folders engine/ and mechanisms/ are compiled to have
// (tailcoat/privacy/sensitive_key.hpp). engine/ turns sensitive values into sensitive values; mechanisms/ releases
// them, charging a meter.
#pragma once

#include <utility>

namespace tailcoat {

template <class T>
class Sensitive {
 public:
  explicit Sensitive(T value) : value_(std::move(value)) {}

  // Moved, not copied: what was released once is gone, and cannot be released again for the price of one.
  Sensitive(Sensitive&&) noexcept = default;
  Sensitive& operator=(Sensitive&&) noexcept = default;
  Sensitive(const Sensitive&) = delete;
  Sensitive& operator=(const Sensitive&) = delete;

 private:
  friend struct SensitiveKey;
  T value_;
};

}  // namespace tailcoat
