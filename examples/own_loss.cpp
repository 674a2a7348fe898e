// A convex loss of one's own, minimised privately: the largest of three residuals, smoothed (log-sum-exp), over a ball.
// It is no GLM: clipped gradient steps would not be private in one pass, implicit steps are.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>
#include <tailcoat/tailcoat.hpp>

using namespace tailcoat;

int main() {
  const std::size_t n = 2000, d = 3;
  std::mt19937_64 random(1);
  std::student_t_distribution<> heavy(4);
  std::vector<double> s(n * d);  // your data
  for (double& value : s) value = 0.3 + 0.2 * heavy(random);

  const auto gradient = [&](std::size_t row, std::span<const double> x, std::span<double> g) {
    double largest = -1e300, sum = 0;  // f(x; s) = log sum_j (e^(x_j - s_j) + e^(s_j - x_j))
    for (std::size_t j = 0; j < d; ++j) largest = std::max(largest, std::abs(x[j] - s[row * d + j]));
    for (std::size_t j = 0; j < d; ++j) {
      const double r = x[j] - s[row * d + j], up = std::exp(r - largest), down = std::exp(-r - largest);
      sum += up + down;
      g[j] = up - down;
    }
    for (double& part : g) part /= sum;
  };
  Engine engine;
  auto noise = BitSource::from_kernel();
  if (!noise) return std::fprintf(stderr, "%s\n", noise.error().message.c_str()), 1;
  const Problem problem{.samples = Samples(n, d, {.gradient = gradient}),
                        .domain = *Domain::ball(std::vector<double>(d), 1),
                        .smoothness = 1};
  const Moments moments{.k = 4, .g2 = 1, .gk = 1};  // slopes of f are at most 1
  const auto fit = implicit({engine, *noise}, problem, moments, ApproxDp{1, 1e-6}, {});
  if (!fit) return std::fprintf(stderr, "%s\n", fit.error().message.c_str()), 1;
  std::printf("x = %.3f %.3f %.3f, excess risk certified below %.3f\n", fit->x[0], fit->x[1], fit->x[2],
              fit->certified.excess_risk);
}
