#include "tailcoat/estimators/strength.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <variant>

#include "tailcoat/estimators/descent.hpp"
#include "tailcoat/estimators/fit_checks.hpp"

namespace tailcoat {
namespace {

// With little strength for each column, where they are matters most and the matrix of their second moments is noise
// but for its largest directions; fewer steps are as far as one gets.
constexpr Shares kWeakShares{.columns = 0.3,
                             .curvature = 0.05,
                             .choice = 0.04,
                             .level = 0.05,
                             .level_of_constant = 0.05,
                             .curve = 0,
                             .steps = 8};
// Where losses grow linearly the descent leaves the level of a constant further off than need be, and large counts may
// not have been seen.
constexpr double kLevelOfConstant = 0.01;
// Of a skewed target clips move the level; what tells by how much needs so much strength.
constexpr double kForLevel = 30, kLeastForLevel = 0.003, kMostForLevel = 0.03;
// Where an error of the margin is a factor of what is predicted, clipping moves the level of a fit.
constexpr double kLevelOfExponent = 0.02;
// What a target, a rate, a column and a feature need, and how many of the latter the rest is worth.
constexpr double kTarget = 20, kRate = 60, kPerColumn = 8, kPerFeature = 6, kPerRareFeature = 9, kBesides = 5;
constexpr double kWeakPerColumn = 15, kPerBentFeature = 40, kPerSuspect = 150;
constexpr double kForSteps = 500, kToFollow = 200;  // for each column of the design
constexpr double kForCurve = 250;                   // in all
constexpr double kMostForTarget = 0.3, kMostForConstant = 0.7;

double needed(double each, std::size_t count) { return each * (static_cast<double>(count) + kBesides); }

// Beyond a quantile far from the median there are few rows, they decide, and noise is that of all.
double share_that_tells(const Loss& loss) {
  const auto* quantile = std::get_if<QuantileLoss>(&loss);
  return quantile != nullptr ? std::pow(2 * std::min(quantile->level, 1 - quantile->level), 1.5) : 1;
}

}  // namespace

Strength::Strength(const Loss& loss, double rows, Gdp total)
    : exponential_(is_exponential(loss)),
      counts_(is_count(loss)),
      linear_(looks_at_residuals(loss) && !predicts_classes(loss)),
      classes_(predicts_classes(loss)),
      strength_(share_that_tells(loss) * rows * total.mu) {}

std::string Strength::lacks(std::size_t count, const char* what, double each) const {
  if (strength_ >= needed(each, count)) return {};
  return fmt::format(
      "constant model: the data's strength, rows * mu, is {:.0f} and too little for {} {}{}; slopes take {:.0f}, that "
      "is "
      "more rows, a larger epsilon or fewer columns",
      strength_, count, what, count == 1 ? "" : "s", needed(each, count));
}

std::string Strength::lacks_for_columns(std::size_t count) const { return lacks(count, "column", kPerColumn); }

std::string Strength::lacks_for_features(std::size_t count) const {
  return lacks(count, "feature", exponential_ ? kPerColumn : kPerFeature);
}

// Less is said about slopes than by even odds.
bool Strength::is_too_rare(double curvature, std::size_t features) const {
  return exponential_ && strength_ * std::min(4 * curvature, 1.0) < needed(kPerRareFeature, features);
}

Shares Strength::shares(std::size_t columns) const {
  Shares shares = strength_ < needed(kWeakPerColumn, columns) ? kWeakShares : Shares();
  if (exponential_) {
    shares.level = kLevelOfExponent;
    shares.level_of_constant = 0;  // that of classes is in their counts
  }
  if (!exponential_ && !linear_ && !classes_)
    shares.level = std::max(shares.level, std::clamp(kForLevel / strength_, kLeastForLevel, kMostForLevel));
  if (classes_ || strength_ < kForCurve) shares.curve = 0;
  if (linear_ || counts_) shares.level_of_constant = std::max(shares.level_of_constant, kLevelOfConstant);
  return shares;
}

double Strength::target_share(bool constant) const {
  return std::clamp((constant || exponential_ ? kRate : kTarget) / strength_, Shares().target,
                    constant ? kMostForConstant : kMostForTarget);
}

bool Strength::pays_suspicion(std::size_t columns) const {
  return !exponential_ && strength_ >= needed(kPerSuspect, 2 * columns);
}

bool Strength::pays_bends(std::size_t features) const { return strength_ >= needed(kPerBentFeature, features); }

bool Strength::pays_more_steps(std::size_t design_columns) const {
  return strength_ / static_cast<double>(design_columns) >= kForSteps;
}

bool Strength::can_follow(std::size_t design_columns) const {
  return strength_ / static_cast<double>(design_columns) >= kToFollow;
}

}  // namespace tailcoat
