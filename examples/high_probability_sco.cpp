// Appendix A of the paper: convex optimisation with a bound that holds with high probability though gradients have only
// a second moment. NOT PRIVATE: for samples that nobody has to protect, such as simulated ones. The point with the
// least mean distance to heavy-tailed samples, each drawn when it is asked for.
#include <cmath>
#include <cstdio>
#include <random>
#include <tailcoat/tailcoat.hpp>

using namespace tailcoat;

int main() {
  constexpr std::size_t kDimension = 3, kQueries = 200000;
  std::mt19937_64 random(1);
  std::student_t_distribution<> heavy(2.1);
  const auto oracle = [&](std::span<const double> x, std::span<double> g) {  // of |x - s| for a new sample s
    double squares = 0;
    for (std::size_t j = 0; j < kDimension; ++j) {
      g[j] = x[j] - (0.3 + 0.2 * heavy(random));
      squares += g[j] * g[j];
    }
    for (double& part : g) part /= std::sqrt(squares);
  };
  const StochasticProblem problem{
      .domain = *Domain::ball(std::vector<double>(kDimension), 1), .oracle = oracle, .oracle_norm = 1};
  for (const double failure : {0.1, 1e-3, 1e-5}) {
    const auto found = high_probability_sco(problem, kQueries, {.failure_probability = failure});
    if (!found) return std::fprintf(stderr, "%s\n", found.error().message.c_str()), 1;
    std::printf("x = %.3f %.3f %.3f, not private; excess risk below %.3f but for a chance of %g\n", found->x[0],
                found->x[1], found->x[2], found->certified.excess_risk, failure);
  }
}
