#include "bindings.hpp"

namespace tailcoat::python {

void bind_minimize(nb::module_&) {}

}  // namespace tailcoat::python
