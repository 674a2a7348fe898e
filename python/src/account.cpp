// tailcoat.account: the figures of `tailcoat account` as a dict.
#include "tailcoat/privacy/account.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include "bindings.hpp"

namespace tailcoat::python {
namespace {

nb::dict account_dict(std::optional<double> epsilon, std::optional<double> delta, std::optional<double> mu,
                      std::optional<double> rho, const std::string& compose) {
  nb::dict figures;
  for (const Figure& figure :
       value_of(account({.epsilon = epsilon, .delta = delta, .rho = rho, .mu = mu, .compose = compose})))
    std::visit([&](const auto& value) { figures[figure.name.c_str()] = value; }, figure.value);
  return figures;
}

}  // namespace

void bind_account(nb::module_& module) {
  module.def("account", &account_dict, nb::kw_only(), nb::arg("epsilon").none(), nb::arg("delta").none(),
             nb::arg("mu").none(), nb::arg("rho").none(), nb::arg("compose"));
}

}  // namespace tailcoat::python
