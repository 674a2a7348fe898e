// Strength: rows * mu, what the data and the budget can tell together; and what follows from it for a fit: whether
// slopes are tried, and how the budget is shared. All from numbers that are public or released. Rules: adaptive.md.
#pragma once

#include <cstddef>
#include <string>

#include "tailcoat/losses/loss.hpp"
#include "tailcoat/privacy/guarantees.hpp"

namespace tailcoat {

// Of the budget (mu^2). What the columns and the curvature do not need goes to the gradients.
struct Shares {
  double columns = 0.15, target = 0.03, curvature = 0.20, clips = 0.03, errors = 0.02, choice = 0.02;
  double level = 0, level_of_constant = 0;
  double bends = 0.03, curve = 0.07, diagnosis = 0.05;
  std::size_t steps = 16;
};

class Strength {
 public:
  Strength(const Loss& loss, double rows, Gdp total);

  // Of the rows only this share tells anything.
  void count_only(double share) { strength_ *= share; }

  // Why slopes of so many columns, or features once they are known, are out of reach; empty if they are not.
  [[nodiscard]] std::string lacks_for_columns(std::size_t count) const;
  [[nodiscard]] std::string lacks_for_features(std::size_t count) const;
  // Whether a class is too rare, or events too few, for slopes: at the start the loss has this curvature.
  [[nodiscard]] bool is_too_rare(double curvature, std::size_t features) const;
  [[nodiscard]] Shares shares(std::size_t columns) const;
  // What the target gets of the budget, a constant model's or that of a model with slopes.
  [[nodiscard]] double target_share(bool constant) const;
  // Whether each column may be tried with a tail that nothing is seen of yet.
  [[nodiscard]] bool pays_suspicion(std::size_t columns) const;
  // Whether a column may have two slopes, if that makes so many features of all.
  [[nodiscard]] bool pays_bends(std::size_t features) const;
  // More steps get closer; the curvature of a likelihood can be followed on the way.
  [[nodiscard]] bool pays_more_steps(std::size_t design_columns) const;
  [[nodiscard]] bool can_follow(std::size_t design_columns) const;

 private:
  [[nodiscard]] std::string lacks(std::size_t count, const char* what, double each) const;

  bool exponential_, counts_, linear_, classes_;
  double strength_;
};

}  // namespace tailcoat
