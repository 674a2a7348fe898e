#include "bindings.hpp"

namespace tailcoat::python {

void bind_plan(nb::module_&) {}

}  // namespace tailcoat::python
