// _core: the C++ library as the pure Python part of the package sees it. What users see is documented there.
#include "bindings.hpp"

NB_MODULE(_core, module) {
  using namespace tailcoat::python;
  module.attr("__version__") = TAILCOAT_VERSION;
  bind_errors(module);
  bind_data(module);
  bind_model(module);
  bind_fit(module);
  bind_plan(module);
  bind_account(module);
  bind_minimize(module);
  bind_nonprivate(module);
}
