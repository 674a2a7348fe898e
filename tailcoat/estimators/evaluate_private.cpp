#include "tailcoat/estimators/evaluate_private.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tailcoat/algorithms/spending.hpp"
#include "tailcoat/estimators/evaluate.hpp"
#include "tailcoat/estimators/metrics.hpp"
#include "tailcoat/estimators/predict.hpp"
#include "tailcoat/mechanisms/clipped_mean.hpp"
#include "tailcoat/mechanisms/quantile.hpp"

namespace tailcoat {
namespace {

constexpr double kLogLossCap = 7;            // nats: the class that happened was given less than 1 in 1000
constexpr double kLeastShareBeyond = 0.002;  // of the rows, beyond a cap
constexpr double kMostShareBeyond = 0.1;
constexpr double kForPresent = 0.05;  // of the budget
constexpr double kMissingNoise = 3;   // deviations of noise from which missing rows are believed
constexpr double kLeastPresent = 0.01;
constexpr QuantileSearch kCapSearch{.precision = 3};  // a cap need not be exact

// A matrix by rows.
struct Columns {
  std::size_t width;
  std::vector<double> cells{};

  [[nodiscard]] std::size_t rows() const { return cells.size() / width; }
  [[nodiscard]] Rows view() const { return RowsOf<double>{cells.data(), rows(), width, width}; }
};

// One row of the file: NaN where the target or the exposure is missing.
struct Outcome {
  double actual, exposure;
  const Prediction& prediction;
};

template <class Fill>
Result<Columns> columns_of(const Model& model, RowSource& source, std::size_t width, Fill&& fill) {
  TAILCOAT_TRY(target, TargetReader::create(model, source.columns()));
  TAILCOAT_TRY(predictor, Predictor::create(model, source.columns()));
  Columns columns{width};
  TAILCOAT_TRY(
      rows, predict_rows(model, source, [&](std::span<const double> cells, const Prediction& prediction) {
        columns.cells.resize(columns.cells.size() + width);
        fill(Outcome{target.read(cells), predictor.exposure(cells), prediction}, std::span(columns.cells).last(width));
        return true;
      }));
  if (rows == 0) return data_error("the file has no rows to evaluate on");
  return columns;
}

double noise_of_last(const Outlet& outlet) { return outlet.meter.receipt().lines.back().release.noise_scale; }

// The share of the rows that can be compared: what the model says of the others, nobody knows.
struct Present {
  double share = 1, noise = 0;
};

// What noise could make of none is taken for none. Moved to +-1/2, replacing a row moves the sum by 1.
Result<Present> share_present(const Columns& columns, Gdp cost, Engine& engine, Outlet outlet) {
  Columns places{1};
  for (std::size_t i = 0; i < columns.rows(); ++i)
    places.cells.push_back(std::isnan(columns.cells[i * columns.width]) ? -0.5 : 0.5);
  TAILCOAT_TRY(data, engine.load(places.view()));
  TAILCOAT_TRY(mean, clipped_mean(engine, data, 0.5, "rows to compare", cost, outlet));
  const Present present{mean[0] + 0.5, noise_of_last(outlet) / static_cast<double>(columns.rows())};
  if (present.share > 1 - kMissingNoise * present.noise) return Present{};
  if (present.share > std::max(kLeastPresent, kMissingNoise * present.noise)) return present;
  return refusal("too few rows have a target, as far as noise lets tell, to evaluate on");
}

struct Means {
  std::vector<double> of;
  double noise;  // standard deviation of each
  double rows;
  double doubt;  // of the number of rows, relative

  // Of the mean of column j, whose squares are in column `squares`.
  [[nodiscard]] double error(std::size_t j, std::size_t squares) const {
    return std::sqrt(noise * noise + std::pow(doubt * of[j], 2) + std::max(of[squares] - of[j] * of[j], 0.0) / rows);
  }
};

// Means of columns whose every cell is in [0, 1], over the rows that are present; all cells of the others are 0. Moved
// to [-1, 1], rows are within a ball of radius sqrt(width).
Result<Means> unit_means(Columns columns, const Present& present, Gdp cost, Engine& engine, Outlet outlet) {
  for (double& cell : columns.cells) cell = 2 * std::clamp(cell, 0.0, 1.0) - 1;
  TAILCOAT_TRY(data, engine.load(columns.view()));
  TAILCOAT_TRY(means,
               clipped_mean(engine, data, std::sqrt(static_cast<double>(columns.width)), "metrics", cost, outlet));
  for (double& mean : means) mean = std::clamp((mean + 1) / 2 / present.share, 0.0, 1.0);
  const double rows = present.share * static_cast<double>(columns.rows());
  return Means{std::move(means), noise_of_last(outlet) / rows / 2, rows, present.noise / present.share};
}

// |value| in units of the cap, at most 1.
double capped(double value, double cap) {
  if (!(cap > 0)) return value == 0 ? 0 : 1;
  return std::min(std::abs(value) / cap, 1.0);
}

// The share of rows that a search with this noise can be asked to leave beyond the caps.
struct Beyond {
  double share, noise;
};

Result<Beyond> share_beyond(std::size_t rows, std::size_t columns, Gdp cost) {
  const double noise = quantile_rank_noise(columns, kCapSearch, cost), n = static_cast<double>(rows);
  const double share = std::max(kLeastShareBeyond, 4 * noise / n);
  if (share <= kMostShareBeyond) return Beyond{share, noise / n};
  return refusal(fmt::format("{} rows are too few to evaluate with this budget; {:.0f} are enough, or a larger epsilon",
                             rows, std::ceil(4 * noise / kMostShareBeyond)));
}

Result<std::vector<double>> caps_of(const Columns& columns, std::span<const double> centres, double share, Gdp cost,
                                    Engine& engine, Outlet outlet) {
  TAILCOAT_TRY(data, engine.load(columns.view()));
  QuantileSearch search = kCapSearch;
  search.share_above = share;
  return column_spreads(engine, data, centres, search, cost, outlet);
}

void note_absent(PrivateEvaluation& evaluation, const Present& present, const char* why) {
  if (present.share < 1)
    evaluation.notes.push_back(fmt::format("about {:.2g} % of the rows (+- {:.2g} %) have {} and are left out",
                                           100 * (1 - present.share), 100 * present.noise, why));
}

constexpr const char* kBiasNote = "what caps take off makes {} too small; standard errors leave that out";
constexpr const char* kNumbersBiasNote =
    "what caps take off makes errors look too small and, as a rule, r2 too high; standard errors leave that out";

// What the search was asked for; how far it may be off is known from its noise.
std::string cap_note(const std::string& what, double cap, double share, double noise) {
  return fmt::format("{} counts as at most {:.6g}; about {:.2g} % of the rows (+- {:.2g} %) are beyond", what, cap,
                     100 * share, 100 * noise);
}

// Of a column of squares of numbers in [0, 1], which are 1 at the cap: no more rows can be there than their mean.
double most_at_cap(const Means& means, std::size_t squares) {
  return std::min(means.of[squares] + 2 * means.error(squares, squares), 1.0);
}

void fill_classes(const Model& model, const Outcome& outcome, std::span<double> cells) {
  std::fill(cells.begin(), cells.end(), 0.0);
  if (std::isnan(outcome.actual)) {
    cells[0] = outcome.actual;
    return;
  }
  const auto happened = static_cast<std::size_t>(outcome.actual);
  cells[0] = outcome.prediction.value == outcome.actual ? 1 : 0;
  cells[1 + happened] = 1;
  const std::span<const double> probabilities = outcome.prediction.probabilities;
  if (probabilities.empty()) return;
  double distance = 0;
  for (std::size_t c = 0; c < probabilities.size(); ++c)
    distance += std::pow(probabilities[c] - (c == happened ? 1 : 0), 2);
  const std::span<double> rest = cells.subspan(1 + model.classes.size());
  rest[0] = capped(log_loss_of(probabilities[happened]), kLogLossCap);
  rest[1] = rest[0] * rest[0];
  rest[2] = distance / 2;
  rest[3] = rest[2] * rest[2];
}

Result<PrivateEvaluation> evaluate_classes(const Model& model, RowSource& source, PrivacyMeter meter,
                                           RunContext context) {
  const std::size_t classes = model.classes.size();
  const bool probabilities = std::holds_alternative<LogisticLoss>(model.loss);
  TAILCOAT_TRY(columns, columns_of(model, source, 1 + classes + (probabilities ? 4 : 0),
                                   [&](const Outcome& outcome, std::span<double> cells) {
                                     fill_classes(model, outcome, cells);
                                   }));
  PrivateEvaluation evaluation{columns.rows(), {}, {}, {}};
  const Outlet outlet{meter, context.noise};
  TAILCOAT_TRY(present, share_present(columns, meter.share(kForPresent), context.engine, outlet));
  for (std::size_t i = 0; i < columns.cells.size(); i += columns.width)
    if (std::isnan(columns.cells[i])) columns.cells[i] = 0;
  TAILCOAT_TRY(means, unit_means(std::move(columns), present, meter.share(1 - kForPresent), context.engine, outlet));
  const std::span<const double> shares = std::span(means.of).subspan(1, classes);
  evaluation.metrics.push_back(
      {"accuracy", means.of[0], means.error(0, 0), *std::max_element(shares.begin(), shares.end())});
  if (probabilities) {
    const std::size_t first = 1 + classes;
    double entropy = 0, impurity = 1;
    for (const double share : shares) {
      entropy += share > 0 ? -share * std::log(share) : 0;
      impurity -= share * share;
    }
    const double whole = classes == 2 ? 1 : 2;  // as in the public evaluation
    evaluation.metrics.push_back(
        {"log_loss", kLogLossCap * means.of[first], kLogLossCap * means.error(first, first + 1), entropy});
    evaluation.metrics.push_back(
        {"brier", whole * means.of[first + 2], whole * means.error(first + 2, first + 3), impurity * whole / 2});
    evaluation.notes = {
        fmt::format("the log loss of a row counts as at most {}; at most {:.2g} % of the rows are there", kLogLossCap,
                    100 * most_at_cap(means, first + 1)),
        fmt::format(kBiasNote, "log_loss")};
  }
  note_absent(evaluation, present, "no target, or a class the model does not know,");
  evaluation.receipt = meter.receipt();
  return evaluation;
}

// What is known of the errors before their means are taken: the constant to compare with, and the caps.
struct Scales {
  double centre, error, target;
};

enum NumberColumn : std::size_t { kError, kSquare, kFourth, kTarget, kTargetSquare, kSigned, kPinball, kPinballSquare };

// Leaves the cells at 0 if there is no error.
void fill_numbers(double error, double target, double level, const Scales& scales, std::span<double> cells) {
  if (std::isnan(error)) return;
  const double size = capped(error, scales.error), spread = capped(target - scales.centre, scales.target);
  cells[kError] = size;
  cells[kSquare] = size * size;
  cells[kFourth] = size * size * size * size;
  cells[kTarget] = spread;
  cells[kTargetSquare] = spread * spread;
  cells[kSigned] = target < scales.centre ? (1 - spread) / 2 : (1 + spread) / 2;
  if (cells.size() <= kPinball) return;
  cells[kPinball] = size * (error > 0 ? level : 1 - level);
  cells[kPinballSquare] = cells[kPinball] * cells[kPinball];
}

std::vector<PrivateMetric> number_metrics(const Means& means, const Scales& scales) {
  const double squares = scales.error * scales.error, spread = scales.target * scales.target;
  const double signed_mean = 2 * means.of[kSigned] - 1;
  const double variance = spread * (means.of[kTargetSquare] - signed_mean * signed_mean);
  const double mse = squares * means.of[kSquare], mse_error = squares * means.error(kSquare, kFourth);
  const double variance_error = spread * means.error(kTargetSquare, kTargetSquare);
  std::vector<PrivateMetric> metrics{{"mse", mse, mse_error, variance > 0 ? variance : 0},
                                     {"mae", scales.error * means.of[kError],
                                      scales.error * means.error(kError, kSquare), scales.target * means.of[kTarget]}};
  if (variance > 2 * variance_error) {
    metrics.insert(metrics.begin(),
                   {"r2", 1 - mse / variance,
                    std::hypot(mse_error / variance, mse * variance_error / (variance * variance)), 0.0});
  }
  return metrics;
}

Result<Scales> find_scales(const Columns& raw, const Present& present, PrivacyMeter& meter, RunContext context,
                           double share, Gdp cost) {
  Columns targets{1};
  for (std::size_t i = 1; i < raw.cells.size(); i += 2) targets.cells.push_back(raw.cells[i]);
  TAILCOAT_TRY(data, context.engine.load(targets.view()));
  const Outlet outlet{meter, context.noise};
  TAILCOAT_TRY(centre,
               column_quantiles(context.engine, data, {.share_above = 0.5 * present.share}, meter.share(0.2), outlet));
  const std::vector<double> centres{0, centre[0]};
  TAILCOAT_TRY(caps, caps_of(raw, centres, share, cost, context.engine, outlet));
  return Scales{centre[0], caps[0], caps[1]};
}

Result<PrivateEvaluation> evaluate_numbers(const Model& model, RowSource& source, PrivacyMeter meter,
                                           RunContext context) {
  TAILCOAT_TRY(raw, columns_of(model, source, 2, [](const Outcome& outcome, std::span<double> cells) {
                 cells[0] = outcome.actual - outcome.prediction.value;
                 cells[1] = outcome.actual;
               }));
  const Gdp search_cost = meter.share(0.3);
  TAILCOAT_TRY(beyond, share_beyond(raw.rows(), 2, search_cost));
  TAILCOAT_TRY(present, share_present(raw, meter.share(kForPresent), context.engine, {meter, context.noise}));
  TAILCOAT_TRY(scales, find_scales(raw, present, meter, context, beyond.share, search_cost));
  const auto* quantile = std::get_if<QuantileLoss>(&model.loss);
  const std::size_t width = quantile != nullptr ? kPinballSquare + 1 : kSigned + 1;
  Columns columns{width, std::vector<double>(raw.rows() * width)};
  for (std::size_t i = 0; i < raw.rows(); ++i) {
    fill_numbers(raw.cells[2 * i], raw.cells[2 * i + 1], quantile != nullptr ? quantile->level : 0.5, scales,
                 std::span(columns.cells).subspan(i * width, width));
  }
  TAILCOAT_TRY(means, unit_means(std::move(columns), present, meter.share(0.5 - kForPresent), context.engine,
                                 {meter, context.noise}));
  PrivateEvaluation evaluation{raw.rows(), number_metrics(means, scales), {}, meter.receipt()};
  if (quantile != nullptr) {
    evaluation.metrics.push_back({"pinball_loss", scales.error * means.of[kPinball],
                                  scales.error * means.error(kPinball, kPinballSquare), std::nullopt});
  }
  evaluation.notes = {cap_note("an error", scales.error, beyond.share, beyond.noise),
                      cap_note(fmt::format("the distance from the median {:.6g}", scales.centre), scales.target,
                               beyond.share, beyond.noise),
                      kNumbersBiasNote,
                      "the constant of mse is the mean, that of mae the median of the target, both private"};
  note_absent(evaluation, present, "no target");
  if (!(scales.error > 0) && means.of[kError] > 2 * beyond.share) {
    evaluation.notes.insert(
        evaluation.notes.begin(),
        fmt::format("these metrics say nothing: {:.0f} % of the rows are off, but no size of error is "
                    "visible",
                    100 * means.of[kError]));
  }
  return evaluation;
}

Result<PrivateEvaluation> evaluate_counts(const Model& model, RowSource& source, PrivacyMeter meter,
                                          RunContext context) {
  TAILCOAT_TRY(raw, columns_of(model, source, 2, [](const Outcome& outcome, std::span<double> cells) {
                 const double count = std::max(outcome.actual, 0.0), mean = outcome.prediction.value;
                 cells[0] = mean > 0 ? poisson_deviance(count, mean) : (mean == 0 && count == 0 ? 0 : std::nan(""));
                 cells[1] = outcome.exposure;
               }));
  const Gdp search_cost = meter.share(0.4);
  TAILCOAT_TRY(beyond, share_beyond(raw.rows(), 2, search_cost));
  const std::vector<double> centres{0, 0};
  TAILCOAT_TRY(caps, caps_of(raw, centres, beyond.share, search_cost, context.engine, {meter, context.noise}));
  TAILCOAT_TRY(present, share_present(raw, meter.share(kForPresent), context.engine, {meter, context.noise}));
  Columns columns{3, std::vector<double>(3 * raw.rows())};
  for (std::size_t i = 0; i < raw.rows(); ++i) {
    if (std::isnan(raw.cells[2 * i])) continue;
    const double deviance = capped(raw.cells[2 * i], caps[0]);
    columns.cells[3 * i] = deviance;
    columns.cells[3 * i + 1] = deviance * deviance;
    columns.cells[3 * i + 2] = capped(raw.cells[2 * i + 1], caps[1]);
  }
  TAILCOAT_TRY(means, unit_means(std::move(columns), present, meter.share(0.6 - kForPresent), context.engine,
                                 {meter, context.noise}));
  const double exposure = model.exposure.empty() ? 1 : caps[1] * means.of[2];
  if (!(exposure > 0)) return refusal("the mean exposure is lost in the noise; use a larger epsilon or more rows");
  const double deviance = caps[0] * means.of[0] / exposure, error = caps[0] * means.error(0, 1) / exposure;
  const double exposure_error = model.exposure.empty() ? 0 : means.error(2, 2) / means.of[2];
  PrivateEvaluation evaluation{
      raw.rows(),
      {{"deviance", deviance, std::hypot(error, deviance * exposure_error), std::nullopt}},
      {cap_note("the deviance of a row", caps[0], beyond.share, beyond.noise), fmt::format(kBiasNote, "deviance")},
      meter.receipt()};
  note_absent(evaluation, present, "no target or exposure");
  return evaluation;
}

}  // namespace

Result<PrivateEvaluation> evaluate_private(const Model& model, RowSource& source, ApproxDp budget, RunContext context) {
  TAILCOAT_TRY(meter, PrivacyMeter::open(budget));
  const SpendingWatch watch(context.noise, budget);
  if (!model.classes.empty()) return watch.told(evaluate_classes(model, source, std::move(meter), context));
  if (std::holds_alternative<PoissonLoss>(model.loss))
    return watch.told(evaluate_counts(model, source, std::move(meter), context));
  return watch.told(evaluate_numbers(model, source, std::move(meter), context));
}

}  // namespace tailcoat
