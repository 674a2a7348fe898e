// The rates of the paper as numbers: the optimal one (eq. `lower_bound_ht`), without its constant, and the constants
// that all bounds share. Derivations: rates.md.
#pragma once

#include "tailcoat/algorithms/problem.hpp"

namespace tailcoat {

// sup_{t >= 0} (t - 1) / t^k = (k-1)^(k-1) / k^k: E (L - C)_+ <= clip_bias_constant(k) G_k^k / C^(k-1), which is tight.
double clip_bias_constant(double k);

// E (L_s - C)_+ for k moments: how much clipping at C may move the gradient of F.
double clip_bias(const Moments&, double clip);

// E (L_s - C)_+^2, by the better of G_2 and G_k.
double clip_variance(const Moments&, double clip);

// E min(L_s, C)^2, of the slopes that clipping leaves: at most C^2 and G_2^2, for k < 2 C^(2-k) G_k^k.
double clipped_second_moment(const Moments&, double clip);

// E L_s: at most G_2, or G_k if k < 2.
double mean_slope(const Moments&);

// G_2 D / sqrt(n) + G_k D (sqrt(d) / (n sqrt(rho)))^(1 - 1/k): how the lower bound depends on the setting, its constant
// left out. No lower bound itself: certificates may be below it. At most the trivial bound. With strong convexity mu:
// its square over mu D^2. For k < 2 the first term is G_k D / n^(1 - 1/k).
double optimal_rate(const Setting&, Gdp budget);
// Under pure epsilon-DP, with d / (n epsilon) in the second term.
double optimal_rate(const Setting&, PureDp budget);

// The smallest excess bound anybody has for free: F ranges over at most mean_slope times the distance from the start.
double trivial_bound(const Setting&);

// A certificate as it is told to users: the trivial bound, marked as that, where the theorem promises no less. The
// number is then that of the start of the domain. An infinite one is none and stays. Here and nowhere else.
Bound shown_bound(const Bound& certified, const Setting&);

}  // namespace tailcoat
