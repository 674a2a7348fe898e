// Trials: every algorithm on every simulated cell, several times, cell after cell on all cores. A repetition draws its
// data once for all algorithms, so that they are compared on the same rows; each run has its own noise. What an
// algorithm refuses is kept with the reason.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "experiments/simulate.hpp"
#include "experiments/statistics.hpp"
#include "experiments/study.hpp"
#include "tailcoat/algorithms/catalogue.hpp"

namespace tailcoat::experiments {

struct Cell {
  Simulation simulation;
  Moments moments;
  std::size_t rows;
  std::size_t repetitions = 8;
};

struct Contender {
  Algorithm algorithm;
  Options options{};
  std::function<std::size_t(const Cell&)> most_runs{};  // on a cell; none: as many as it has repetitions
  std::optional<double> most_work{};                    // in place of the plan's
};

// The whole catalogue.
std::vector<Contender> all_contenders(const Options&);

struct TrialPlan {
  std::string name{};  // of the study: part of all seeds
  std::vector<Cell> cells{};
  std::vector<Contender> contenders{};
  ApproxDp budget{};
  // In numbers read, by all repetitions of an algorithm on a cell: longer ones are repeated less often, but at least
  // twice; what would read more in a single run is left out, and says so.
  double most_work = 1e10;
};

struct Outcome {
  std::string refused{};  // empty: it ran
  Forecast forecast{};
  double rate = 0;  // of the theory that the certificate is of: without strong convexity, where that is not used
  double straight_bound = 0;  // what would be certified if the losses had next to no curvature
  Estimate excess{};
  std::size_t runs = 0;
};

struct CellOutcome {
  std::vector<Outcome> contenders;  // in the order of the plan
  Estimate nonprivate{};
  double at_centre = 0;      // excess risk of the centre of the domain
  double rate = 0;           // eq. lower_bound_ht, without its constant
  double trivial_bound = 0;  // what is certified without looking at data
};

Result<std::vector<CellOutcome>> run_trials(const StudyContext&, const TrialPlan&);

// {"mean": .., "standard_error": ..} under a common name: "excess", "excess_standard_error".
void put_estimate(Json&, const std::string& name, const Estimate&);
void put_finite(Json&, const std::string& name, double value);

// A cell of moments k: tails have half a moment more than they need. For `hard`, p = 16 sqrt(d) / (n sqrt(rho)), at
// most 1: a signal that noise of this budget lets one see, but not well. It must be seen for a slope to mean anything:
// who learns nothing stays at the centre, whose excess risk falls at the same rate.
Result<Cell> cell_of(Kind kind, double k, std::size_t features, std::size_t rows, ApproxDp budget, std::uint64_t seed,
                     std::size_t repetitions);

}  // namespace tailcoat::experiments
