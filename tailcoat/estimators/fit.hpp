// fit: a private model of a table from nothing but a privacy budget.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tailcoat/algorithms/problem.hpp"
#include "tailcoat/base/option.hpp"
#include "tailcoat/data/frame.hpp"
#include "tailcoat/estimators/model.hpp"
#include "tailcoat/estimators/treatment.hpp"

namespace tailcoat {

struct FitOptions {
  std::string target;
  Loss loss = SquaredLoss{};
  ApproxDp budget;
  // Text columns; the levels that count, or none: those that are frequent are found, at a price. Of the target the
  // levels are the classes.
  std::map<std::string, std::vector<std::string>> levels{};
  // What is known of number columns in public saves budget; of a column's entries the first counts.
  std::map<std::string, Range> bounds{};
  std::map<std::string, Scale> scales{};
  std::map<std::string, ColumnSketch> sketches{};  // exact ones of rows that are public (public_rows.hpp)
  std::vector<std::string> missing_indicators{};   // number columns that get a feature of kind missing
  std::string exposure{};                          // Poisson: a number column
  double confidence = 0.95;
  bool straight = false;  // one slope for the bulk of each number, also where it is seen to bend
  bool diagnose = false;  // pay for a Diagnosis; numbers and two classes have one
};

inline constexpr NumberOption kConfidenceOption{.name = "confidence",
                                                .meaning = "of the intervals",
                                                .lowest = 0.5,
                                                .highest = 1,
                                                .open_above = true,
                                                .default_value = 0.95};

// What keeps the model from being better: by how much the margin of a row is off, as root of the mean square over the
// rows, in the units of the file.
struct Limits {
  double sampling = 0;       // from sampling
  double privacy_noise = 0;  // from noise
  double clipped_share = 0;  // of the gradients, at the end
};

// How the model fits the rows it was made from, as far as that was paid for: noisy counts, all of the same deviation.
// Rows without a target are in none of them.
struct Diagnosis {
  struct Bar {
    double low, high;  // infinite at the ends
    double rows;
  };
  struct Chance {
    double predicted;       // mean chance of classes[1] that the model gives to rows of a bin
    double rows;            // in the bin
    double observed;        // share of them that are of the class
    double observed_error;  // standard error of that, from noise and sampling
  };
  std::vector<Bar> residuals;       // target minus prediction, in the units of the file; of numbers
  std::vector<Chance> calibration;  // of a logistic model of two classes, by predicted chance
  double noise = 0;                 // standard deviation of a count
};

struct Fit {
  Model model;
  Work work;
  Limits limits;
  // Predicted size of these errors together at other budgets, relative to this one: {epsilon, factor}.
  std::vector<std::pair<double, double>> error_against_epsilon;
  bool constant = false;  // the constant model was chosen
  std::optional<Diagnosis> diagnosis{};
  std::optional<Bound> certified{};  // of a fit by a theorem: on the excess risk in the units of the fit
};

// Whether a fit of the average held back so many rows that, where the target has a long tail to one side, it gives what
// is typical instead. (Simulated at epsilon = 1, 0.9 % moved a mean of Pareto tails by 30 %.)
inline bool follows_the_bulk(const Fit& fit) {
  constexpr double kHeldBack = 0.005;
  return std::holds_alternative<SquaredLoss>(fit.model.loss) && fit.limits.clipped_share > kHeldBack;
}

// Called with the work done and all of it, from the calling thread; false: stop, what was released stays charged.
using Progress = std::function<bool(std::size_t done, std::size_t total)>;

// An error says what has been spent on the fit, if anything (Error::spent).
//
// All columns but target and exposure are features. A column that the frame keeps apart must be the target. Takes less
// than 16 bytes of memory for a row, whatever the columns, unless the rows are wide (adaptive.md, "Memory").
Result<Fit> fit(const Frame&, const FitOptions&, RunContext, const Progress& = {});
// The same fit, faster: uses the memory of the table.
Result<Fit> fit(Table table, const FitOptions&, RunContext, const Progress& = {});

}  // namespace tailcoat
