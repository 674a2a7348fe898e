// tailcoat.nonprivate_high_probability_sco: Appendix A of the paper. Nothing here is private.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <optional>

#include "bindings.hpp"
#include "data.hpp"
#include "gradient.hpp"
#include "job.hpp"
#include "tailcoat/algorithms/high_probability_sco.hpp"
#include "tailcoat/algorithms/rates.hpp"
#include "theory.hpp"

namespace tailcoat::python {
namespace {

nb::dict dict_of(const StochasticSolution& solution, const Bound& certified) {
  auto [array, out] = new_array(solution.x.size());
  std::ranges::copy(solution.x, out.begin());
  nb::dict dict;
  dict["x"] = array;
  dict["certified_bound"] = certified.excess_risk;
  dict["failure_probability"] = certified.failure_probability;
  dict["trivial"] = certified.trivial;
  dict["queries"] = solution.queries;
  return dict;
}

// Every row is one query of the oracle, in the order they have.
nb::dict high_probability(const nb::object& gradient, std::size_t rows, const Domain& domain, double g2,
                          const std::string& constants, double failure_probability) {
  const Options options = options_of(constants, failure_probability, kMaxPassesOption.default_value.value());
  JobState state;
  PythonGradient callback(gradient, rows, state);
  std::size_t next = 0;
  const StochasticProblem problem{
      .domain = domain,
      .oracle = [&](std::span<const double> x, std::span<double> g) { callback(next++, x, g); },
      .oracle_norm = g2};
  std::optional<Result<StochasticSolution>> outcome;
  run_job(
      state, [&] { outcome.emplace(high_probability_sco(problem, rows, options)); }, nb::none());
  if (state.raised) throw_raised(state, std::nullopt);
  const StochasticSolution solution = value_of(std::move(*outcome));
  const Setting setting{.rows = rows,
                        .dimension = domain.dimension(),
                        .diameter = domain.diameter(),
                        .start_distance = domain.radius(),
                        .moments = {2, g2, g2}};
  return dict_of(solution, shown_bound(solution.certified, setting));
}

}  // namespace

void bind_nonprivate(nb::module_& module) {
  module.def("nonprivate_high_probability_sco", &high_probability, nb::kw_only(), nb::arg("gradient"), nb::arg("rows"),
             nb::arg("domain"), nb::arg("g2"), nb::arg("constants"), nb::arg("failure_probability"));
}

}  // namespace tailcoat::python
