// tailcoat.minimize: a convex loss of the user's own by an algorithm of the catalogue; and the domains it can live in.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>

#include "bindings.hpp"
#include "data.hpp"
#include "gradient.hpp"
#include "job.hpp"
#include "tailcoat/algorithms/catalogue.hpp"
#include "tailcoat/algorithms/rates.hpp"
#include "theory.hpp"

namespace tailcoat::python {
namespace {

nb::object array_of(std::span<const double> numbers) {
  auto [array, out] = new_array(numbers.size());
  std::ranges::copy(numbers, out.begin());
  return array;
}

nb::object projection(const Domain& domain, const std::vector<double>& point) {
  std::vector<double> x = point;
  value_of(domain.project(x));
  return array_of(x);
}

nb::dict dict_of(const Solution& solution, const Bound& certified) {
  nb::dict dict;
  dict["x"] = array_of(solution.x);
  dict["privacy"] = from_json(solution.receipt.summary());
  dict["certified_bound"] = certified.excess_risk;
  dict["failure_probability"] = certified.failure_probability;
  dict["trivial"] = certified.trivial;
  dict["sample_gradients"] = solution.work.sample_gradients;
  dict["passes"] = solution.work.passes;
  return dict;
}

Result<Solution> solve(const Algorithm& algorithm, RunContext run, const Problem& problem, const Moments& moments,
                       const Budget& budget, const Options& options, JobState& state) {
  TAILCOAT_TRY(forecast, algorithm.plan(setting_of(problem, moments), budget, options));
  // How far a search that ends when it has found something has come tells of the rows: of that only the end is shown.
  if (forecast.work.fixed) state.total = static_cast<std::size_t>(std::min(forecast.work.sample_gradients, 0x1p62));
  return algorithm.solve(run, problem, moments, budget, options);
}

nb::dict minimize(const nb::object& gradient, std::size_t rows, const Domain& domain, double epsilon, double delta,
                  const MomentTuple& moments, const std::string& algorithm, double smoothness, double strong_convexity,
                  double gradient_error, const std::string& constants, double failure_probability, double max_passes,
                  std::optional<std::uint64_t> seed, std::size_t threads, const nb::object& progress) {
  const Algorithm chosen = value_of(find_algorithm(algorithm));
  const Options options = options_of(constants, failure_probability, max_passes);
  const ApproxDp budget = value_of(check_theorem_budget({epsilon, delta}));
  BitSource noise = seed ? BitSource::insecure_seeded(*seed) : value_of(BitSource::from_kernel());
  JobState state;
  PythonGradient callback(gradient, rows, state);
  Bound certified;
  const std::function<Result<Solution>()> work = [&]() -> Result<Solution> {
    SampleFunctions functions{
        .gradient = [&](std::size_t row, std::span<const double> x, std::span<double> out) { callback(row, x, out); },
        .gradient_alone = [&](std::size_t row, std::span<const double> x,
                              std::span<double> out) { callback.alone(row, x, out); },
        .gradient_error = gradient_error};
    Engine engine(threads, &state.stop);
    const Problem problem{.samples = Samples(rows, domain.dimension(), std::move(functions)),
                          .domain = domain,
                          .smoothness = smoothness,
                          .strong_convexity = strong_convexity};
    TAILCOAT_TRY(solution,
                 solve(chosen, {engine, noise}, problem, moments_of(moments), budget_of(budget), options, state));
    certified = shown_bound(solution.certified, setting_of(problem, moments_of(moments)));
    return solution;
  };
  const Solution solution = run_private(state, budget, work, progress);
  return dict_of(solution, certified);
}

}  // namespace

void bind_minimize(nb::module_& module) {
  nb::class_<Domain>(module, "Domain")
      .def_static("ball",
                  [](std::vector<double> centre, double r) { return value_of(Domain::ball(std::move(centre), r)); })
      .def_static("box",
                  [](std::vector<double> lower, std::vector<double> upper) {
                    return value_of(Domain::box(std::move(lower), std::move(upper)));
                  })
      .def_static("simplex",
                  [](std::size_t dimension, double scale) { return value_of(Domain::simplex(dimension, scale)); })
      .def_static("intersection",
                  [](std::vector<Domain> parts) { return value_of(Domain::intersection(std::move(parts))); })
      .def_prop_ro("dimension", &Domain::dimension)
      .def_prop_ro("diameter", &Domain::diameter)
      .def_prop_ro("centre", [](const Domain& domain) { return array_of(domain.centre()); })
      .def(
          "contains",
          [](const Domain& domain, const std::vector<double>& x, double tolerance) {
            return domain.contains(x, tolerance);
          },
          nb::arg("x"), nb::arg("tolerance") = 1e-9)
      .def("project", &projection, nb::arg("x"));
  module.def("minimize", &minimize, nb::kw_only(), nb::arg("gradient"), nb::arg("rows"), nb::arg("domain"),
             nb::arg("epsilon"), nb::arg("delta"), nb::arg("moments"), nb::arg("algorithm"), nb::arg("smoothness"),
             nb::arg("strong_convexity"), nb::arg("gradient_error"), nb::arg("constants"),
             nb::arg("failure_probability"), nb::arg("max_passes"), nb::arg("seed").none(), nb::arg("threads"),
             nb::arg("progress").none());
}

}  // namespace tailcoat::python
