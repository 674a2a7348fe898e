// tailcoat.plan: what each algorithm promises and costs, as `tailcoat plan --json` says it.
#include <fmt/format.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include "bindings.hpp"
#include "tailcoat/estimators/planner.hpp"
#include "theory.hpp"

namespace tailcoat::python {
namespace {

nb::object plan(std::size_t rows, std::size_t features, double epsilon, std::optional<double> delta,
                const MomentTuple& moments, double diameter, double smoothness, double strong_convexity,
                const std::string& constants, double failure_probability, double max_passes, const std::string& problem,
                std::optional<double> step_error) {
  PlanInputs inputs{.setting = {.rows = rows,
                                .dimension = features,
                                .diameter = diameter,
                                .start_distance = diameter / 2,
                                .moments = moments_of(moments),
                                .smoothness = smoothness,
                                .strong_convexity = strong_convexity},
                    .budget = {epsilon, delta.value_or(default_delta(static_cast<double>(rows)))},
                    .options = options_of(constants, failure_probability, max_passes)};
  value_of(set_problem(inputs.setting, problem, step_error));
  std::string json;
  {
    const nb::gil_scoped_release release;
    value_of(check(inputs));
    Engine engine;
    json = value_of(plan_json(inputs, value_of(measure_speed(engine, rows, features))));
  }
  return from_json(json);
}

}  // namespace

Options options_of(const std::string& constants, double failure_probability, double max_passes) {
  if (constants != "tight" && constants != "paper")
    throw Failure(usage_error(fmt::format("constants '{}' are neither tight nor paper", constants)));
  return {.constants = constants == "paper" ? Constants::paper : Constants::tight,
          .failure_probability = value_of(check(kFailureProbabilityOption, failure_probability)),
          .max_passes = value_of(check(kMaxPassesOption, max_passes))};
}

void bind_plan(nb::module_& module) {
  module.def("plan", &plan, nb::kw_only(), nb::arg("rows"), nb::arg("features"), nb::arg("epsilon"),
             nb::arg("delta").none(), nb::arg("moments"), nb::arg("diameter"), nb::arg("smoothness"),
             nb::arg("strong_convexity"), nb::arg("constants"), nb::arg("failure_probability"), nb::arg("max_passes"),
             nb::arg("problem"), nb::arg("step_error").none());
  module.def("default_delta", &default_delta, nb::arg("rows"));
}

}  // namespace tailcoat::python
