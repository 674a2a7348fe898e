// The noisy accelerated descent of the adaptive fit, on rows whose curvature is about the identity. Gradients are
// clipped at a threshold that balances bias against noise, chosen from released histograms of their norms; later
// gradients get more of the budget, because the last iterates remember them best. Proof and rules: adaptive.md.
#pragma once

#include <algorithm>
#include <functional>
#include <vector>

#include "tailcoat/algorithms/problem.hpp"
#include "tailcoat/estimators/tail_pace.hpp"

namespace tailcoat {

// What a descent has walked, or will if nothing stops it.
struct Path {
  std::vector<double> steps;  // lengths, in units of 1 / curvature
  double momentum;
};

struct DescentRules {
  std::size_t steps = 16;
  double step = 0.5;  // of the first two thirds, in units of 1 / curvature; then they fall like 1 / t
  double momentum = 0.2;
  double growth = 0.95;   // the budget (mu^2) of a gradient over that of the next
  bool follows = false;   // the curvature of a likelihood, where that changes on the way; takes rows enough to see it
  std::size_t looks = 3;  // at the norms of the gradients; or 1, at the start
  const char* of = "";    // before the names of its releases
  double clip_cap = 14;   // the clip is at most so many median norms, where large residuals are taken for outliers

  [[nodiscard]] double step_at(std::size_t t) const {
    return std::min(step, static_cast<double>(steps) / static_cast<double>(3 * (t + 1)));
  }
  [[nodiscard]] Path path() const {
    Path path{{}, momentum};
    for (std::size_t t = 0; t < steps; ++t) path.steps.push_back(step_at(t));
    return path;
  }
};

struct DescentBudget {
  Gdp gradients;  // all together
  Gdp clips;      // all histograms of norms together
};

// A released gradient, and where it was taken.
struct Sight {
  std::vector<double> at, gradient;
  double noise;  // standard deviation of a coordinate
};

struct Descent {
  std::vector<double> from, x;
  double clip = 0;            // the last
  double widened = 1;         // how many times the clip that takes large residuals for outliers
  double curvature = 1;       // of the mean loss of all rows, per unit of curvature of the rows
  double clipped_share = 0;   // of the rows, by that clip, as the last histogram of norms has it
  double mean_square = 0;     // of the clipped gradient norms, likewise
  Path path;                  // steps are shorter than the rules say from where one went too far; 0: not taken
  std::vector<double> noise;  // standard deviation of a coordinate of each gradient
  std::vector<Sight> sights;  // of the loss and with the clip that were the last
  std::vector<std::size_t> unfinished;  // of the tails, those on whose slope the gradients still agree
  Loss loss;                            // with the parameters that were found on the way
};

// Where a descent begins: the mean second derivative of the loss there, and how many rows have a label. The others have
// no gradient, and so no curvature, though they count in every mean.
struct DescentStart {
  std::vector<double> x;
  double curvature = 1;
  double labelled = 0;
  double spread = 0;               // mean squared norm of a row, as far as it is known
  std::vector<double> mean_row{};  // likewise; empty: 0
  std::vector<TailDirection> tails{};
};

// Whether a descent needs a histogram of residuals beside that of gradient norms each time it chooses a clip.
bool looks_at_residuals(const Loss&);

// Calls `tick` before each step; false stops.
Result<Descent> descend(RunContext, Outlet, const LabelledData&, const Loss&, DescentStart, const DescentBudget&,
                        const DescentRules&, const std::function<bool()>& tick);

// What the last iterate makes of an error of 1 in each gradient, in a direction of relative curvature `curvature`.
std::vector<double> gradient_responses(const Path&, double curvature);

}  // namespace tailcoat
