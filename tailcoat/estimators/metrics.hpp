// Metrics: how far predictions are from what happened. Plain functions of numbers that may be seen; private metrics are
// in evaluate_private.hpp.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace tailcoat {

double mean_of(std::span<const double> values);
// The value below which a share `level` of the values lies; the middle of the two nearest for the median. Not empty.
double quantile_of(std::vector<double> values, double level);

// (y - prediction) weighted by `level` where it is positive, by 1 - level where it is negative.
double pinball(double actual, double predicted, double level);

// Twice the log likelihood ratio of a Poisson count to the mean: 2 (y log(y / mean) - y + mean), 0 for y = mean.
double poisson_deviance(double actual, double mean);

// -log of a probability, which counts as at least 1e-15, so that one sure mistake does not make a mean infinite.
double log_loss_of(double probability);

// The chance that a random row of the class has a larger score than a random other one, ties counting half. 1/2 where
// one of the two does not occur.
double area_under_curve(std::span<const double> scores, const std::vector<bool>& in_class);

}  // namespace tailcoat
