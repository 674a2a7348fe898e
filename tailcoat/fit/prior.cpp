#include "tailcoat/fit/prior.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "tailcoat/losses/traits.hpp"

namespace tailcoat {
namespace {

constexpr double kExplained = 0.3;                          // of the variance of a target of unit variance
constexpr double kExplainedOfRates = 1.2;                   // variance of the logarithm of odds or rates
constexpr double kOfCommon = 1, kOfGroup = 2, kOfEach = 1;  // degrees of freedom of the laws of variances
constexpr double kLeastVariance = 1e-8;
constexpr int kRounds = 60;
constexpr double kSettled = 0.01;  // relative change of a variance
constexpr int kScalarRounds = 30;

// The maximum of -a v / 2 - q / (2 v) v_0^2 ... in v: one MM step for variances that have information a, squared
// response q and a prior of so many degrees of freedom around `around`.
double step(double a, double q, double v, double degrees, double around) {
  const double by = q * v * v + degrees * around;
  return (std::sqrt(degrees * degrees + 4 * a * by) - degrees) / (2 * std::max(a, 1e-300));
}

// What the effects would change in the likelihood.
struct Pull {
  Eigen::ArrayXd information, square;
};

Eigen::MatrixXd scaled_inverse(const NormalEquations& equations, const Eigen::ArrayXd& deviations) {
  const Eigen::Index d = deviations.size();
  const Eigen::MatrixXd scaled =
      deviations.matrix().asDiagonal() * equations.information * deviations.matrix().asDiagonal();
  return (Eigen::MatrixXd::Identity(d, d) + scaled).llt().solve(Eigen::MatrixXd::Identity(d, d));
}

Pull pull_of(const NormalEquations& equations, const Eigen::ArrayXd& variances) {
  const Eigen::ArrayXd deviations = variances.sqrt();
  const Eigen::MatrixXd half = equations.information * deviations.matrix().asDiagonal();
  const Eigen::MatrixXd solved = half * scaled_inverse(equations, deviations);
  const Eigen::ArrayXd explained = solved.cwiseProduct(half).rowwise().sum();
  const Eigen::VectorXd left = equations.response - solved * (deviations * equations.response.array()).matrix();
  return {(equations.information.diagonal().array() - explained).max(1e-300), left.array().square()};
}

class Variances {
 public:
  Variances(const NormalEquations& equations, const Eigen::VectorXd& fixed) : equations_(equations), fixed_(fixed) {}

  // One variance for each group, from those given.
  [[nodiscard]] Eigen::ArrayXd of_groups(const std::vector<std::size_t>& group, Eigen::ArrayXd variance, double degrees,
                                         const Eigen::ArrayXd& around) const {
    for (int round = 0; round < kRounds; ++round) {
      const Pull pull = pull_of(equations_, spread(group, variance));
      Eigen::ArrayXd a = Eigen::ArrayXd::Zero(variance.size()), q = a;
      for (std::size_t j = 0; j < group.size(); ++j) {
        if (is_fixed(j)) continue;
        a[place(group[j])] += pull.information[place(j)];
        q[place(group[j])] += pull.square[place(j)];
      }
      const Eigen::ArrayXd before = variance;
      for (Eigen::Index g = 0; g < variance.size(); ++g)
        if (a[g] > 0) variance[g] = std::max(step(a[g], q[g], variance[g], degrees, around[g]), kLeastVariance);
      if (((variance / before).log().abs() < kSettled).all()) break;
    }
    return variance;
  }

  [[nodiscard]] Eigen::ArrayXd spread(const std::vector<std::size_t>& group, const Eigen::ArrayXd& of_group) const {
    Eigen::ArrayXd all(static_cast<Eigen::Index>(group.size()));
    for (std::size_t j = 0; j < group.size(); ++j)
      all[place(j)] = is_fixed(j) ? fixed_[place(j)] : of_group[place(group[j])];
    return all;
  }

 private:
  static Eigen::Index place(std::size_t j) { return static_cast<Eigen::Index>(j); }
  [[nodiscard]] bool is_fixed(std::size_t j) const { return !std::isnan(fixed_[place(j)]); }

  const NormalEquations& equations_;
  const Eigen::VectorXd& fixed_;
};

}  // namespace

double size_prior(const Loss& loss, Eigen::Index effects) {
  return (traits_of(loss).exponential() ? kExplainedOfRates : kExplained) / static_cast<double>(effects);
}

Eigen::VectorXd shrunk(const Eigen::VectorXd& y, const Eigen::VectorXd& factor, const Eigen::VectorXd& variance,
                       double expected) {
  const Eigen::ArrayXd f = factor.array(), e = variance.array();
  double v = std::max((y.array().square() - e).max(0).matrix().sum() / f.square().sum(), expected);
  for (int round = 0; round < kScalarRounds; ++round) {
    const Eigen::ArrayXd total = v * f.square() + e;
    v = std::max(step((f.square() / total).sum(), (f * y.array() / total).square().sum(), v, kOfCommon, expected),
                 kLeastVariance);
  }
  return (v * f * y.array() / (v * f.square() + e)).matrix();
}

Eigen::VectorXd effect_variances(const NormalEquations& equations, const std::vector<std::size_t>& group,
                                 const Eigen::VectorXd& fixed, double expected) {
  const Variances variances(equations, fixed);
  const std::vector<std::size_t> together(group.size(), 0);
  std::vector<std::size_t> each(group.size());
  std::iota(each.begin(), each.end(), std::size_t{0});
  const std::size_t groups = group.empty() ? 1 : *std::ranges::max_element(group) + 1;
  const Eigen::ArrayXd first = Eigen::ArrayXd::Constant(1, expected);
  const double common = variances.of_groups(together, first, kOfCommon, first)[0];
  const Eigen::ArrayXd all = Eigen::ArrayXd::Constant(static_cast<Eigen::Index>(groups), common);
  const Eigen::ArrayXd of_groups = variances.of_groups(group, all, kOfGroup, all);
  const Eigen::ArrayXd around = variances.spread(group, of_groups);
  return variances.spread(each, variances.of_groups(each, around, kOfEach, around)).matrix();
}

Belief posterior_of(const NormalEquations& equations, const Eigen::VectorXd& variances) {
  const Eigen::ArrayXd deviations = variances.array().sqrt();
  const Eigen::MatrixXd covariance =
      deviations.matrix().asDiagonal() * scaled_inverse(equations, deviations) * deviations.matrix().asDiagonal();
  return {covariance * equations.response, covariance};
}

}  // namespace tailcoat
