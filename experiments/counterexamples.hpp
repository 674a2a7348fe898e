// counterexamples: Appendices B and C as numbers.
// B: clipping can turn a step that brings two points together into one that drives them apart. The paper's pair of
//    gradients, for several sizes of the distance; and a random search over quadratics, where explicit clipped steps
//    expand, next to GLMs and implicit steps, where they do not.
// C: the mean of functions whose squares are at most 1 on average does not get small uniformly: with as many functions
//    as there are finite sets, its squared supremum stays near 1 while each single one decays as 1/n. And the squared
//    bias of clipping, (1/n sum (L_i - C)_+)^2, is governed by more than its mean.
#pragma once

#include <cstdint>

#include "experiments/study.hpp"

namespace tailcoat::experiments {

// Appendix B's pair at distance C > 0: of the clipped difference, relative to C. The unclipped one is exactly 1.
struct Expansion {
  double unclipped;
  double clipped;
};
Expansion appendix_b_pair(double distance);

// The largest factor by which one step, of size at most 1 / smoothness, drives two points apart, over random problems.
enum class StepKind { clipped_quadratic, clipped_glm, implicit_quadratic };
double largest_expansion(StepKind, std::uint64_t trials, std::uint64_t seed);

// Mean over `repeats` samples of size n from N = n^2 points of sup_x g(x; S)^2 and of g(x_0; S)^2 for one fixed x_0,
// where g(x; s) = 1{s in x} - |x|/N and x ranges over the sets of at most n points.
struct SquaredMeans {
  double supremum;
  double single;
};
SquaredMeans appendix_c_means(std::uint64_t n, std::uint64_t repeats, std::uint64_t seed);

Result<Report> counterexamples(const StudyContext&);

}  // namespace tailcoat::experiments
