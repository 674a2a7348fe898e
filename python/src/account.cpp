#include "bindings.hpp"

namespace tailcoat::python {

void bind_account(nb::module_&) {}

}  // namespace tailcoat::python
