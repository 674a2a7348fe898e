// Prior: how large effects are, learned from the effects themselves (empirical Bayes). Each effect theta_j is normal
// with a variance v_j of its own, the variances of a group scatter around one of the group, and those of the groups
// around a common one: scaled inverse chi-squared laws, whose maximum is found by the MM steps of variance components
// (fit.md).
#pragma once

#include <Eigen/Dense>
#include <cstddef>
#include <vector>

#include "tailcoat/losses/loss.hpp"

namespace tailcoat {

// What is expected of the variance of an effect before anything is seen, in the units of a fit: all effects together
// explain a part of the target.
double size_prior(const Loss&, Eigen::Index effects);

// y = factor .* theta + noise of these variances, coordinate by coordinate, with one variance for all theta: their
// posterior mean.
Eigen::VectorXd shrunk(const Eigen::VectorXd& y, const Eigen::VectorXd& factor, const Eigen::VectorXd& variance,
                       double expected);

// y = A theta + noise of a covariance, as A' C^-1 A and A' C^-1 y.
struct NormalEquations {
  Eigen::MatrixXd information;
  Eigen::VectorXd response;
};

// Variances of the effects. Those that have a fixed one (not NaN) keep it.
Eigen::VectorXd effect_variances(const NormalEquations&, const std::vector<std::size_t>& group,
                                 const Eigen::VectorXd& fixed, double expected);

struct Belief {
  Eigen::VectorXd mean;
  Eigen::MatrixXd covariance;
};
Belief posterior_of(const NormalEquations&, const Eigen::VectorXd& variances);

}  // namespace tailcoat
