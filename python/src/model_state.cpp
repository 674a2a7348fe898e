// Models to pickles and back.
#include "bindings.hpp"
#include "model.hpp"

namespace tailcoat::python {
namespace {

Numbers2 records_of(const std::vector<Diagnosis::Bar>& bars) {
  Numbers2 records;
  for (const auto& [low, high, rows] : bars) records.push_back({low, high, rows});
  return records;
}

Numbers2 records_of(const std::vector<Diagnosis::Chance>& chances) {
  Numbers2 records;
  for (const auto& [predicted, rows, observed, error] : chances) records.push_back({predicted, rows, observed, error});
  return records;
}

void check_sizes(const Numbers2& records, std::size_t size) {
  for (const Numbers1& record : records)
    if (record.size() != size)
      throw Failure(data_error("the pickle is not one of a model of this version of tailcoat"));
}

std::optional<Diagnosis> diagnosis_of(const std::optional<std::tuple<Numbers2, Numbers2, double>>& state) {
  if (!state) return std::nullopt;
  const auto& [bars, chances, noise] = *state;
  check_sizes(bars, 3);
  check_sizes(chances, 4);
  Diagnosis diagnosis{.residuals = {}, .calibration = {}, .noise = noise};
  for (const Numbers1& b : bars) diagnosis.residuals.push_back({b[0], b[1], b[2]});
  for (const Numbers1& c : chances) diagnosis.calibration.push_back({c[0], c[1], c[2], c[3]});
  return diagnosis;
}

}  // namespace

State state_of(const FittedModel& model) {
  const Fit& fit = model.fit;
  State state{to_json(fit.model),
              {fit.work.sample_gradients, fit.work.passes, fit.work.wanted_passes},
              {fit.limits.sampling, fit.limits.privacy_noise, fit.limits.clipped_share},
              fit.error_against_epsilon,
              fit.constant,
              model.from_fit,
              std::nullopt,
              std::nullopt};
  if (fit.certified) {
    const auto& [excess_risk, failure_probability, trivial] = *fit.certified;
    std::get<6>(state).emplace(excess_risk, failure_probability, trivial);
  }
  if (fit.diagnosis)
    std::get<7>(state).emplace(records_of(fit.diagnosis->residuals), records_of(fit.diagnosis->calibration),
                               fit.diagnosis->noise);
  return state;
}

FittedModel model_of_state(const State& state) {
  const auto& [json, work, limits, errors, constant, from_fit, certified, diagnosis] = state;
  check_sizes({work, limits}, 3);
  return {.fit = {.model = value_of(model_from_json(json)),
                  .work = {work[0], work[1], work[2]},
                  .limits = {limits[0], limits[1], limits[2]},
                  .error_against_epsilon = errors,
                  .constant = constant,
                  .diagnosis = diagnosis_of(diagnosis),
                  .certified = certified ? std::optional(std::make_from_tuple<Bound>(*certified)) : std::nullopt},
          .from_fit = from_fit};
}

}  // namespace tailcoat::python
