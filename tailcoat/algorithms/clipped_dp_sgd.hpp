// clipped-dp-sgd: Algorithm 1 of the paper (Prop. dp-erm, Cor. erm_assume_good). Full-batch descent on the regularised
// empirical loss, with clipped gradients and Gaussian noise; what `localized` solves its subproblems with. Statement,
// proofs and constants: clipped_dp_sgd.md.
#pragma once

#include "tailcoat/algorithms/problem.hpp"

namespace tailcoat {

// (1/n) sum_i f_i(x) + (lambda / 2) |x - centre|^2, in `steps` noisy steps from the centre. A step reads all samples
// or, where the passes are limited, one of `batches` parts of them, drawn at random beforehand.
struct ClippedDescent {
  Constants rule = Constants::tight;  // tight: steps 1/(lambda (t+1)), last iterate; paper: 4/(lambda (t+1)), average
  double clip = 0;                    // C
  double lambda = 0;
  std::size_t steps = 0;    // T
  std::size_t batches = 1;  // K
  std::size_t uses = 0;     // how often a part is read at most: T for one part

  [[nodiscard]] double passes() const { return static_cast<double>(steps) / static_cast<double>(batches); }
};

// Spends all of the outlet's meter in equal releases, one for each step (for each use of a part).
Result<std::vector<double>> solve_clipped(Engine&, const Samples&, const Domain&, std::span<const double> centre,
                                          const ClippedDescent&, Outlet);

// sqrt(E |x - y|^2) of its result x from the exact minimiser y: of the clipped loss for a GLM, else of the loss itself.
// No point of the domain is further than `reach` from the centre. Moments and kind of loss are those of the setting.
double solver_distance(const Setting&, std::size_t rows, double reach, Gdp budget, const ClippedDescent&);

// The ways to take steps within max_passes: reading all samples, `wanted` times at most; and if that is cut short, in
// parts, in no more than 2^16 steps. Clip and lambda are for the caller.
std::vector<ClippedDescent> schedules(double wanted, const Options&);
// The probability that a schedule in parts runs out of uses of one, and has to take another.
inline constexpr double kOverdrawn = 1e-12;

// Steps after which more of them hardly help, at that clip.
double useful_steps(const Setting&, std::size_t rows, Gdp budget, double clip);

// The text's: C = G_k (25 n^2 rho / (32 d))^(1/(2k)) and T = max(n, n^2 rho / d).
double text_clip(const Setting&, std::size_t rows, Gdp budget);
double text_steps(const Setting&, std::size_t rows, Gdp budget);

struct ClippedDpSgdPlan : Forecast {
  ClippedDescent descent{};
};

Result<ClippedDpSgdPlan> plan_clipped_dp_sgd(const Setting&, const Budget&, const Options&);
Result<Solution> clipped_dp_sgd(RunContext, const Problem&, const Moments&, const Budget&, const Options&);

}  // namespace tailcoat
