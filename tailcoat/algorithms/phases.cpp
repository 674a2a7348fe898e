#include "tailcoat/algorithms/phases.hpp"

#include <fmt/format.h>

#include <cmath>

#include "tailcoat/mechanisms/gaussian_release.hpp"

namespace tailcoat {

std::vector<std::size_t> phase_sizes(std::size_t rows, std::size_t phases, double ratio) {
  std::vector<std::size_t> sizes;
  std::size_t left = rows;
  for (std::size_t i = 1; i < phases; ++i) {
    sizes.push_back(static_cast<std::size_t>(static_cast<double>(left) * (1 - ratio)));
    left -= sizes.back();
  }
  sizes.push_back(left);
  return sizes;
}

double phased_bound(const Setting& setting, Gdp budget, const std::vector<Phase>& phases, double bias) {
  const double g2 = setting.moments.g2, d = static_cast<double>(setting.dimension);
  double bound = bias * setting.diameter;
  double v = setting.start_distance * setting.start_distance;
  for (const Phase& phase : phases) {
    const double eta = phase.pass.step, noise = 2 * eta * phase.pass.clip / budget.mu;
    bound += v / (2 * eta * static_cast<double>(phase.rows)) + eta * g2 * g2 / 2;
    v = d * noise * noise;
  }
  return bound + g2 * std::sqrt(v);
}

Result<std::vector<double>> run_phases(RunContext run, const Problem& problem, const std::vector<Phase>& phases,
                                       Gdp budget, PrivacyMeter& meter) {
  TAILCOAT_TRY(meters, meter.split(phases.size(), budget));
  std::vector<double> x(problem.domain.centre().begin(), problem.domain.centre().end());
  std::size_t first = 0;
  for (std::size_t i = 0; i < phases.size(); ++i) {
    const Samples fresh = problem.samples.block(first, phases[i].rows);
    TAILCOAT_TRY(average, run.engine.one_pass_average(fresh, problem.domain, x, phases[i].pass, meters[i].total()));
    TAILCOAT_TRY(noisy, gaussian_release(fmt::format("average of phase {}", i + 1), std::move(average),
                                         {meters[i], run.noise}));
    TAILCOAT_TRY(next, moved_within(problem.domain, x, noisy));
    x = std::move(next);
    first += phases[i].rows;
  }
  meter.join(std::move(meters));
  return x;
}

}  // namespace tailcoat
