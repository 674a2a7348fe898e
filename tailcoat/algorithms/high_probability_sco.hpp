// High-probability stochastic convex optimization, NOT PRIVATE (Appendix A: Theorem sco_nonprivate, Lemma odc). A
// stochastic oracle with bounded second moment only, a composite term with a proximal oracle, and a bound that holds
// with probability 1 - delta. Statement and proofs: high_probability_sco.md.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "tailcoat/algorithms/problem.hpp"

namespace tailcoat {

// Writes an unbiased estimate of a subgradient of f at x, with E |g|^2 <= G^2. Draws are independent.
using StochasticOracle = std::function<void(std::span<const double> x, std::span<double> g)>;
// Replaces v by the x in the domain that minimises |x - v|^2 / (2 step) + psi(x).
using ProximalOracle = std::function<void(std::span<double> v, double step)>;

struct StochasticProblem {
  Domain domain;
  StochasticOracle oracle;
  double oracle_norm;         // G
  ProximalOracle proximal{};  // none: psi = 0
  double psi_slope = 0;       // psi has this Lipschitz constant on the domain
};

// One phase: `copies` runs of `queries` steps each, aggregated.
struct StochasticPhase {
  std::size_t copies = 0;
  std::size_t queries = 0;
  double lambda = 0;
  double spread = 0;  // the aggregate is within spread / lambda of the regularised minimiser
};

struct StochasticPlan {
  Bound bound;
  std::vector<StochasticPhase> phases;
};

struct StochasticSolution {
  std::vector<double> x;
  std::size_t queries;  // of the oracle
  Bound certified;
};

// max_passes plays no part; a failure probability of 0 stands for 0.05. NOT PRIVATE: no noise, no budget, no receipt.
Result<StochasticPlan> plan_high_probability_sco(const StochasticProblem&, std::size_t queries, const Options&);
Result<StochasticSolution> high_probability_sco(const StochasticProblem&, std::size_t queries, const Options&);

// Lemma odc with the regulariser (lambda / 2) |x - centre|^2: a point with E |x - x*|^2 <= 4 G^2 / (lambda^2 T).
Result<std::vector<double>> odc(const StochasticProblem&, std::span<const double> centre, double lambda,
                                std::size_t queries);

}  // namespace tailcoat
