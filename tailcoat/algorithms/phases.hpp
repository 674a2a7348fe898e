// Phases of one-pass averages: the frame that one-pass-glm, implicit-glm, implicit and known-lipschitz share. Phase i
// takes fresh samples, averages the iterates of a pass over them, releases the average with Gaussian noise, and hands
// it to phase i + 1. A record is in one phase only, so all phases together cost what one does. Proofs: phases.md.
#pragma once

#include <vector>

#include "tailcoat/algorithms/problem.hpp"

namespace tailcoat {

struct Phase {
  std::size_t rows;  // n_i
  OnePass pass;      // eta_i, C_i
};

struct PhasedPlan : Forecast {
  std::vector<Phase> phases;
};

// Phases for as many samples as there are, geometric in size: of n samples, the shares 1 - q, (1 - q) q, ..., the last
// phase taking the rest.
std::vector<std::size_t> phase_sizes(std::size_t rows, std::size_t phases, double ratio);

// E F(x_I) - F* for phases whose steps optimise one function of which F is within `bias` (as a slope):
//   sum_i [ v_{i-1} / (2 eta_i n_i) + eta_i G_2^2 / 2 ] + G_2 sqrt(v_I) + bias D,
// v_0 = start_distance^2 and v_i = d (2 eta_i C_i / mu)^2 the noise of phase i. For k < 2 clipped_second_moment(C_i) is
// in place of G_2^2, and G_k in place of G_2.
double phased_bound(const Setting&, Gdp budget, const std::vector<Phase>&, double bias);

// Clipped gradient steps are at most this over the smoothness: the engine leaves out records beyond 1.999, which float
// errors must not make of one that is as smooth as promised.
inline constexpr double kLongestGradientStep = 1.998;

// The phases that minimise phased_bound over their number, sizes, steps (at most largest_step) and one clip for all:
// for steps on the clipped function F^C itself, whose bias is paid once.
PhasedPlan tuned_phases(const Setting&, Gdp budget, StepRule rule, double largest_step);
// The steps for phases of given sizes and a given clip, by the same bound without bias: G_2 is that of the clipped
// gradients.
PhasedPlan tuned_steps(const Setting&, Gdp budget, const std::vector<std::size_t>& sizes, double clip);

// Runs the phases from the centre of the domain. Spends `budget` of the meter.
Result<std::vector<double>> run_phases(RunContext, const Problem&, const std::vector<Phase>&, Gdp budget,
                                       PrivacyMeter& meter);

}  // namespace tailcoat
