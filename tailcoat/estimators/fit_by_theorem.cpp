#include "tailcoat/estimators/fit_by_theorem.hpp"

#include <fmt/format.h>

#include <limits>

#include "tailcoat/algorithms/rates.hpp"
#include "tailcoat/data/text.hpp"
#include "tailcoat/estimators/design.hpp"
#include "tailcoat/estimators/encoder.hpp"
#include "tailcoat/estimators/feature_choice.hpp"
#include "tailcoat/estimators/fit_checks.hpp"

namespace tailcoat {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

Result<void> check_known(const Frame& frame, const FitOptions& options) {
  TAILCOAT_CHECK(check(frame, options));
  if (!options.exposure.empty()) return refusal("an exposure needs algorithm adaptive: theorems have no weights");
  for (const Column& column : frame.columns) {
    if (!are_found(options, column)) continue;
    return refusal(fmt::format("the levels of {} are not given, and only algorithm adaptive finds them: name them",
                               in_quotes(column.name)));
  }
  if (predicts_classes(options.loss) && options.levels.at(options.target).size() != 2)
    return refusal(fmt::format("{} classes; only algorithm adaptive fits more than two",
                               options.levels.at(options.target).size()));
  return {};
}

// All features; of the levels of a column the first is the reference, without a coefficient.
FeatureChoice public_features(const Frame& frame, const FitOptions& options) {
  FeatureChoice choice;
  const auto add = [&](Feature feature, bool fitted) {
    if (fitted) choice.fitted.push_back(choice.features.size());
    choice.features.push_back(std::move(feature));
  };
  for (const Column& column : frame.columns) {
    if (!is_feature(options, column)) continue;
    if (column.kind == ColumnKind::text) {
      for (const std::string& level : options.levels.at(column.name))
        add({.column = column.name, .kind = FeatureKind::level, .level = level, .low = 0, .high = 1},
            level != options.levels.at(column.name).front());
      continue;
    }
    const std::vector<Feature> known = known_features(options, column.name);
    for (const Feature& feature : known)
      if (feature.kind != FeatureKind::nonzero) add(feature, true);  // the moments given are those of the columns
    if (known.empty()) add({.column = column.name}, true);
  }
  for (const std::string& name : options.missing_indicators) add(missing_feature(name), true);
  return choice;
}

Feature unit_of(const FitOptions& options) {
  const std::vector<Feature> known =
      predicts_classes(options.loss) ? std::vector<Feature>{} : known_features(options, options.target);
  return known.empty() || is_count(options.loss) ? Feature{.column = options.target} : known.front();
}

double standardised(double value, const Feature& feature) { return (value - feature.centre) / feature.scale; }

struct Samplings {
  std::vector<double> rows, labels;
};

// The fitted features and, for an intercept, a constant 1, row after row.
Result<Samplings> samples_of(const Frame& frame, const FitOptions& options, const FeatureChoice& choice,
                             const Feature& unit, bool intercept) try {
  TAILCOAT_TRY(encoder, RowEncoder::create(choice.features, frame.columns));
  TAILCOAT_TRY(target, frame.index_of(options.target));
  const bool classes = predicts_classes(options.loss);
  LabelRule rule{.centre = unit.centre, .scale = unit.scale};
  if (classes) rule.of_level = places(frame.columns[target].levels, options.levels.at(options.target));
  for (double& label : rule.of_level) label = 2 * label - 1;
  Samplings samples;
  samples.rows.reserve(frame.rows() * (choice.fitted.size() + (intercept ? 1 : 0)));
  std::vector<double> cells(frame.columns.size()), values(choice.features.size());
  std::visit(
      [&](const auto& rows) {
        for (std::size_t i = 0; i < rows.rows; ++i) {
          std::ranges::copy(rows.row(i), cells.begin());
          if (!frame.apart.empty()) cells.back() = frame.apart[i];
          encoder.encode(cells, values);
          for (const std::size_t j : choice.fitted) samples.rows.push_back(standardised(values[j], choice.features[j]));
          if (intercept) samples.rows.push_back(1);
          samples.labels.push_back(rule.of(cells[target]));
        }
      },
      frame.cells);
  return samples;
} catch (const std::bad_alloc&) {
  return system_error("no memory for a standardised copy of the rows");
}

// Without a coefficient of the constant, standardised features at their centres predict the target's centre.
LinearPart in_units_of_file(const std::vector<double>& x, const FeatureChoice& choice, const Feature& unit) {
  const auto point = [](double value) { return Estimate{value, kInfinite, -kInfinite, kInfinite}; };
  LinearPart part;
  part.coefficients.resize(choice.features.size());  // of the reference levels: exactly 0
  double intercept = unit.centre + (x.size() > choice.fitted.size() ? unit.scale * x.back() : 0);
  for (std::size_t i = 0; i < choice.fitted.size(); ++i) {
    const Feature& feature = choice.features[choice.fitted[i]];
    const double slope = unit.scale * x[i] / feature.scale;
    part.coefficients[choice.fitted[i]] = point(slope);
    intercept -= slope * feature.centre;
  }
  part.intercept = point(intercept);
  return part;
}

}  // namespace

Result<Fit> fit_by_theorem(const Frame& frame, const FitOptions& options, const Theorem& theorem, RunContext run) {
  TAILCOAT_CHECK(check_known(frame, options));
  const FeatureChoice choice = public_features(frame, options);
  const Feature unit = unit_of(options);
  const std::size_t dimension = choice.fitted.size() + (theorem.intercept ? 1 : 0);
  if (dimension == 0) return usage_error("a fit without features and without an intercept has nothing to find");
  TAILCOAT_TRY(domain, Domain::ball(std::vector<double>(dimension), theorem.diameter / 2));
  TAILCOAT_TRY(samples, samples_of(frame, options, choice, unit, theorem.intercept));
  TAILCOAT_TRY(
      data, run.engine.load(RowsOf<double>{samples.rows.data(), frame.rows(), dimension, dimension}, samples.labels));
  const Problem problem{.samples = Samples(data, options.loss),
                        .domain = domain,
                        .smoothness = theorem.smoothness,
                        .strong_convexity = theorem.strong_convexity};
  TAILCOAT_TRY(solution,
               theorem.algorithm.solve(run, problem, theorem.moments, budget_of(options.budget), theorem.options));
  Fit fit{.model = {.loss = options.loss,
                    .target = options.target,
                    .classes =
                        predicts_classes(options.loss) ? options.levels.at(options.target) : std::vector<std::string>{},
                    .features = choice.features,
                    .parts = {in_units_of_file(solution.x, choice, unit)},
                    .confidence = options.confidence,
                    .rows = frame.rows(),
                    .receipt = std::move(solution.receipt)},
          .work = solution.work,
          .limits = {},
          .error_against_epsilon = {},
          .certified = shown_bound(solution.certified, setting_of(problem, theorem.moments))};
  fit.model.notes.push_back(fmt::format("algorithm {} ({}): the intervals are infinite, its theorem bounds the risk",
                                        theorem.algorithm.name, theorem.algorithm.reference));
  return fit;
}

}  // namespace tailcoat
