#include <nanobind/stl/string.h>

#include "bindings.hpp"

namespace tailcoat::python {
namespace {

const char* class_name(const Error& error) {
  switch (error.kind) {
    case ErrorKind::usage:
      return "UsageError";
    case ErrorKind::data:
      return "DataError";
    case ErrorKind::refused:
      return error.over_budget ? "BudgetExceeded" : "PreconditionFailed";
    case ErrorKind::system:
      break;
  }
  return "SystemFailure";
}

void translate(const std::exception_ptr& pointer, void*) {
  try {
    std::rethrow_exception(pointer);
  } catch (const Failure& failure) {
    const nb::object type = nb::module_::import_("tailcoat._errors").attr(class_name(failure.error()));
    const nb::object error = type(failure.what());
    if (const auto& spent = failure.error().spent) error.attr("spent") = nb::make_tuple(spent->epsilon, spent->delta);
    PyErr_SetObject(type.ptr(), error.ptr());
  }
}

}  // namespace

nb::object from_json(const std::string& text) { return nb::module_::import_("json").attr("loads")(text); }

void bind_errors(nb::module_&) { nb::register_exception_translator(translate); }

}  // namespace tailcoat::python
