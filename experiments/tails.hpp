// Tails: heavy-tailed laws whose moments are known by formula. A row is a Gaussian vector times one random scale, so it
// is spherical: `t:NU` is the multivariate t, `pareto:A` has a Pareto scale. Noise is Student's t or a two-sided
// Pareto. Moments below the index are finite, the others are not.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "experiments/generator.hpp"
#include "tailcoat/base/result.hpp"

namespace tailcoat::experiments {

struct Tail {
  enum class Family { student, pareto };
  Family family = Family::student;
  double index = 4;  // nu or alpha: moments of lower order are finite
};

// "t:4", "pareto:2.5". The index must be in [1.1, 30].
Result<Tail> parse_tail(std::string_view text);
std::string tail_name(const Tail&);

void draw_row(const Tail&, Generator&, std::span<double> row);
double draw_noise(const Tail&, Generator&);

// E |row|^order and E |noise|^order; infinite from the index on.
double row_moment(const Tail&, std::size_t dimension, double order);
double noise_moment(const Tail&, double order);

// Densities of one coordinate of a row at r > 0 (of its absolute value), and of the length r of two coordinates.
double coordinate_density(const Tail&, double r);
double planar_density(const Tail&, double r);
// E |noise - u| - E |noise|, u >= 0: what it costs to predict the median wrong by u.
double noise_regret(const Tail&, double u);

}  // namespace tailcoat::experiments
