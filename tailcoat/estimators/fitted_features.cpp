#include "tailcoat/estimators/fitted_features.hpp"

#include <algorithm>

#include "tailcoat/estimators/bends.hpp"

namespace tailcoat {
namespace {

constexpr double kFar = 14;  // units of a number, from end to end: more than the bulk of a column has

}  // namespace

void FittedFeatures::bend(const Candidate& candidate) {
  const Feature& number = all_[candidate.feature];
  numbers_.emplace(number.column, number);
  tailcoat::bend(all_, fitted_, candidate);
}

bool FittedFeatures::forget_unseen_tails(SecondMoment& moment) {
  const std::size_t d = size() + 1;
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < d - 1; ++i) {
    const std::size_t place = kept.size();  // among those that are left
    if ((*this)[place].kind == FeatureKind::beyond && !is_seen(moment, d, i)) {
      forget_tail(place);
    } else {
      kept.push_back(i);
    }
  }
  kept.push_back(d - 1);
  if (kept.size() == d) return false;
  moment = moment_of(moment, d, kept);
  return true;
}

// The number, or its halves, get the limits of numbers without a tail.
void FittedFeatures::forget_tail(std::size_t place) {
  const auto without = [](const Feature& number) {
    return number_features(number.column, Scale{number.centre, number.scale})[0];
  };
  const std::size_t at = fitted_[place];
  Feature& before = all_[at - 1];
  if (before.kind == FeatureKind::above) {
    Feature& number = numbers_.at(before.column);
    number = without(number);
    before.high = number.high;
    all_[at - 2].low = number.low;
  } else {
    before = without(before);
  }
  all_.erase(all_.begin() + static_cast<std::ptrdiff_t>(at));
  fitted_.erase(fitted_.begin() + static_cast<std::ptrdiff_t>(place));
  for (std::size_t& later : fitted_)
    if (later > at) --later;
}

std::vector<Turn> FittedFeatures::turns() const {
  std::vector<Turn> turns;
  for (std::size_t i = 1; i < size(); ++i) {
    const Feature& feature = (*this)[i];
    const bool bend = feature.kind == FeatureKind::above;
    const auto at = static_cast<Eigen::Index>(i);
    if (bend || feature.kind == FeatureKind::beyond)
      turns.push_back({at, at - 1, feature.scale / (*this)[i - 1].scale, bend});
  }
  return turns;
}

std::vector<std::size_t> FittedFeatures::far_reaching() const {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < size(); ++i) {
    const Feature& feature = (*this)[i];
    const bool far = feature.kind == FeatureKind::number && feature.high - feature.low > kFar * feature.scale;
    if (far || feature.kind == FeatureKind::beyond) places.push_back(i);
  }
  return places;
}

std::vector<TailDirection> FittedFeatures::tail_directions(const Whitening& whitening) const {
  std::vector<TailDirection> directions;
  const Eigen::MatrixXd root = whitening.root(), inverse = whitening.root_inverse();
  const auto column = [](const Eigen::MatrixXd& of, std::size_t j) {
    const auto numbers = of.col(static_cast<Eigen::Index>(j));
    return std::vector<double>(numbers.begin(), numbers.end());
  };
  for (const std::size_t i : far_reaching()) directions.push_back({column(root, i), column(inverse, i)});
  return directions;
}

void FittedFeatures::straighten(const std::vector<Turn>& bends, std::vector<Estimate>& coefficients) {
  std::vector<std::size_t> gone;  // places among the fitted, the last first
  for (const Turn& bend : bends) gone.push_back(static_cast<std::size_t>(bend.at));
  std::ranges::sort(gone, std::ranges::greater());
  for (const std::size_t place : gone) {
    const std::size_t at = fitted_[place];
    Feature number = numbers_.at(all_[at].column);
    number.centre = all_[at - 1].centre + all_[at].centre - all_[at].low;  // a missing cell stays what it was
    all_[at - 1] = std::move(number);
    all_.erase(all_.begin() + static_cast<std::ptrdiff_t>(at));
    coefficients.erase(coefficients.begin() + static_cast<std::ptrdiff_t>(at));
    fitted_.erase(fitted_.begin() + static_cast<std::ptrdiff_t>(place));
    for (std::size_t& later : fitted_)
      if (later > at) --later;
  }
}

}  // namespace tailcoat
