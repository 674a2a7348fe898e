// The adaptive fit for Python.
#include "tailcoat/estimators/fit.hpp"

#include <fmt/format.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "bindings.hpp"
#include "data.hpp"
#include "job.hpp"
#include "model.hpp"
#include "tailcoat/estimators/fit_by_theorem.hpp"
#include "tailcoat/estimators/public_rows.hpp"
#include "theory.hpp"

namespace tailcoat::python {
namespace {

using LevelMap = std::map<std::string, std::vector<std::string>>;
using PairMap = std::map<std::string, std::pair<double, double>>;

BitSource noise_of(std::optional<std::uint64_t> seed) {
  return seed ? BitSource::insecure_seeded(*seed) : value_of(BitSource::from_kernel());
}

template <class Pair>
std::map<std::string, Pair> map_of(const PairMap& pairs) {
  std::map<std::string, Pair> map;
  for (const auto& [name, pair] : pairs) map[name] = {pair.first, pair.second};
  return map;
}

// What _base.py calls a theory, a dict or None.
std::optional<Theorem> theorem_of(const std::string& algorithm, const nb::object& theory) {
  if (theory.is_none()) return std::nullopt;
  const auto number = [&](const char* name) { return nb::cast<double>(theory[name]); };
  return Theorem{.algorithm = value_of(find_algorithm(algorithm)),
                 .moments = moments_of(nb::cast<MomentTuple>(theory["moments"])),
                 .diameter = number("diameter"),
                 .smoothness = number("smoothness"),
                 .options = options_of(nb::cast<std::string>(theory["constants"]), number("failure_probability"),
                                       number("max_passes")),
                 .strong_convexity = number("strong_convexity"),
                 .intercept = nb::cast<bool>(theory["fit_intercept"])};
}

// The target beside the other columns, if it comes apart from them.
std::optional<Apart> apart_of(const Data& data, const std::string& target, const std::optional<Numbers>& y,
                              const std::optional<std::vector<std::string>>& labels) {
  if (!y) return std::nullopt;
  if (y->shape(0) != data.rows())
    throw Failure(usage_error(fmt::format("{} rows, but {} values of the target", data.rows(), y->shape(0))));
  Apart apart{.column = {.name = target}, .values = {y->data(), y->shape(0)}};
  if (labels) apart.column = {.name = target, .kind = ColumnKind::text, .levels = *labels};
  return apart;
}

// What is to be done, apart from the data.
struct Task {
  FitOptions options;
  std::optional<Theorem> theorem;
  const Data* public_rows;
};

Result<Fit> run_fit(const Data& data, const std::optional<Apart>& apart, Task task, RunContext run, JobState& state) {
  const auto progress = [&](std::size_t done, std::size_t total) {
    state.done = done;
    state.total = total;
    return !state.stop;
  };
  if (task.public_rows != nullptr) {
    TAILCOAT_TRY(rows, table_of(*task.public_rows));
    TAILCOAT_CHECK(learn_from_public(rows, task.options));
  }
  const Frame frame = frame_of(data, apart);
  TAILCOAT_CHECK(check(frame));
  if (task.theorem) return fit_by_theorem(frame, task.options, *task.theorem, run);
  return fit(frame, task.options, run, progress);
}

FittedModel fit_data(const Data& data, const std::string& target, const std::optional<Numbers>& y,
                     const std::optional<std::vector<std::string>>& labels, const std::string& loss, double epsilon,
                     double delta, const LevelMap& levels, const PairMap& bounds, const PairMap& scales,
                     const Data* public_rows, const std::vector<std::string>& missing_indicators,
                     const std::string& exposure, double confidence, bool straight, bool diagnose,
                     const std::string& algorithm, const nb::object& theory, std::optional<std::uint64_t> seed,
                     std::size_t threads, const nb::object& progress) {
  const Task task{.options = {.target = target,
                              .loss = value_of(parse_loss(loss)),
                              .budget = value_of(theory.is_none() ? check_budget({epsilon, delta})
                                                                  : check_theorem_budget({epsilon, delta})),
                              .levels = levels,
                              .bounds = map_of<Range>(bounds),
                              .scales = map_of<Scale>(scales),
                              .missing_indicators = missing_indicators,
                              .exposure = exposure,
                              .confidence = confidence,
                              .straight = straight,
                              .diagnose = diagnose},
                  .theorem = theorem_of(algorithm, theory),
                  .public_rows = public_rows};
  const std::optional<Apart> apart = apart_of(data, target, y, labels);
  BitSource noise = noise_of(seed);
  JobState state;
  const std::function<Result<Fit>()> work = [&] {
    Engine engine(threads, &state.stop);
    return run_fit(data, apart, task, {engine, noise}, state);
  };
  return {.fit = run_private(state, task.options.budget, work, progress)};
}

}  // namespace

void bind_fit(nb::module_& module) {
  module.def("fit", &fit_data, nb::arg("data"), nb::kw_only(), nb::arg("target"), nb::arg("y").none(),
             nb::arg("labels").none(), nb::arg("loss"), nb::arg("epsilon"), nb::arg("delta"), nb::arg("levels"),
             nb::arg("bounds"), nb::arg("scales"), nb::arg("public_rows").none(), nb::arg("missing_indicators"),
             nb::arg("exposure"), nb::arg("confidence"), nb::arg("straight"), nb::arg("diagnose"), nb::arg("algorithm"),
             nb::arg("theory").none(), nb::arg("seed").none(), nb::arg("threads"), nb::arg("progress").none());
}

}  // namespace tailcoat::python
