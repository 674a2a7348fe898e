// The adaptive fit for Python.
#include "tailcoat/estimators/fit.hpp"

#include <fmt/format.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "bindings.hpp"
#include "data.hpp"
#include "job.hpp"
#include "model.hpp"

namespace tailcoat::python {
namespace {

using LevelMap = std::map<std::string, std::vector<std::string>>;
using BoundMap = std::map<std::string, std::pair<double, double>>;

BitSource noise_of(std::optional<std::uint64_t> seed) {
  return seed ? BitSource::insecure_seeded(*seed) : value_of(BitSource::from_kernel());
}

std::map<std::string, Range> ranges_of(const BoundMap& bounds) {
  std::map<std::string, Range> ranges;
  for (const auto& [name, bound] : bounds) ranges[name] = {bound.first, bound.second};
  return ranges;
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

Result<Fit> run_fit(const Data& data, const std::optional<Apart>& apart, const FitOptions& options, RunContext run,
                    JobState& state) {
  const auto progress = [&](std::size_t done, std::size_t total) {
    state.done = done;
    state.total = total;
    return !state.stop;
  };
  TAILCOAT_TRY(table, table_of(data, apart));
  return fit(std::move(table), options, run, progress);
}

FittedModel fit_data(const Data& data, const std::string& target, const std::optional<Numbers>& y,
                     const std::optional<std::vector<std::string>>& labels, const std::string& loss, double epsilon,
                     double delta, const LevelMap& levels, const BoundMap& bounds,
                     const std::vector<std::string>& missing_indicators, const std::string& exposure, double confidence,
                     std::optional<std::uint64_t> seed, std::size_t threads, const nb::object& progress) {
  const FitOptions options{.target = target,
                           .loss = value_of(parse_loss(loss)),
                           .budget = {epsilon, delta},
                           .levels = levels,
                           .bounds = ranges_of(bounds),
                           .missing_indicators = missing_indicators,
                           .exposure = exposure,
                           .confidence = confidence};
  const std::optional<Apart> apart = apart_of(data, target, y, labels);
  BitSource noise = noise_of(seed);
  std::optional<Result<Fit>> fitted;
  JobState state;
  run_job(
      state,
      [&] {
        Engine engine(threads);
        fitted = run_fit(data, apart, options, {engine, noise}, state);
      },
      progress);
  return {.fit = value_of(std::move(*fitted))};
}

}  // namespace

void bind_fit(nb::module_& module) {
  module.def("fit", &fit_data, nb::arg("data"), nb::kw_only(), nb::arg("target"), nb::arg("y").none(),
             nb::arg("labels").none(), nb::arg("loss"), nb::arg("epsilon"), nb::arg("delta"), nb::arg("levels"),
             nb::arg("bounds"), nb::arg("missing_indicators"), nb::arg("exposure"), nb::arg("confidence"),
             nb::arg("seed").none(), nb::arg("threads"), nb::arg("progress").none());
}

}  // namespace tailcoat::python
