#include "tailcoat/mechanisms/frequent_levels.hpp"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <numbers>

#include "tailcoat/base/rounding.hpp"
#include "tailcoat/noise/gaussian.hpp"
#include "tailcoat/privacy/search.hpp"
#include "tailcoat/privacy/sensitive_key.hpp"

namespace tailcoat {
namespace {

constexpr NumberOption kLevelDelta{.name = "delta",
                                   .meaning = "probability with which a level of one row may be shown",
                                   .lowest = 1e-200,
                                   .highest = 1,
                                   .open_above = true};

// The margin is for erfc (a few units in the last place) and its argument (relative error 2^-52, times z^2 < 1000).
double tail_up(double z) { return 0.5 * std::erfc(z / std::numbers::sqrt2) * (1 + 0x1p-40); }

struct Counting {
  CountLattice lattice;
  std::int64_t threshold;  // in lattice units: counts have to be above

  [[nodiscard]] double in_rows(std::int64_t units) const {
    return static_cast<double>(units) / static_cast<double>(lattice.weight);
  }
};

// A count of 1 is `weight` units; noise of more than 2^26 z units must be that improbable.
Result<Counting> counting(std::size_t rows, Gdp cost, double delta) {
  TAILCOAT_CHECK(check(kLevelDelta, delta));
  TAILCOAT_TRY(lattice, count_lattice(rows, 2, cost));
  const double z = smallest_where([&](double x) { return tail_up(x) <= delta; });
  const auto noise = static_cast<std::int64_t>(std::ceil(mul_up(kGaussianScale, z)));
  return Counting{.lattice = lattice, .threshold = lattice.weight + noise};
}

// By text, so that nothing depends on the order of appearance; levels of no row do not exist.
std::map<std::string, std::int64_t> counts_by_text(std::span<const std::string> levels,
                                                   const std::vector<std::int64_t>& counts) {
  std::map<std::string, std::int64_t> result;
  for (std::size_t k = 0; k < levels.size(); ++k) {
    if (counts[k] > 0) result[levels[k]] += counts[k];
  }
  return result;
}

// Both prices or none.
Result<void> charge(const std::string& what, const Counting& plan, Gdp cost, double delta, Outlet outlet) {
  TAILCOAT_CHECK(outlet.meter.affords(what, cost));
  Release release{.what = what + ", threshold",
                  .mechanism = "threshold",
                  .values = 0,
                  .sensitivity = 1,
                  .noise_scale = plan.in_rows(std::int64_t{1} << 26),
                  .secure_noise = outlet.noise.secure()};
  TAILCOAT_CHECK(outlet.meter.charge(release, levels_event(delta)));
  release.what = what;
  release.mechanism = "gaussian";
  release.sensitivity = plan.lattice.sensitivity / static_cast<double>(plan.lattice.weight);
  return outlet.meter.charge(release, Gdp{div_up(plan.lattice.sensitivity, kGaussianScale)});
}

}  // namespace

Event levels_event(double delta) { return ApproximateEvent{.epsilon = 0, .delta = delta}; }

Result<double> levels_threshold(std::size_t rows, Gdp cost, double delta) {
  TAILCOAT_TRY(plan, counting(rows, cost, delta));
  return plan.in_rows(plan.threshold);
}

Result<FrequentLevels> frequent_levels(Engine& engine, const RowData& data, std::size_t column,
                                       std::span<const std::string> levels, const std::string& what, Gdp cost,
                                       double delta, Outlet outlet) {
  TAILCOAT_TRY(plan, counting(data.rows(), cost, delta));
  TAILCOAT_TRY(sealed, engine.level_counts(data, column, levels.size()));
  TAILCOAT_CHECK(charge(what, plan, cost, delta, outlet));

  const auto by_text = counts_by_text(levels, SensitiveKey::open(sealed));
  std::vector<std::int64_t> units;
  for (const auto& [text, count] : by_text) units.push_back(count * plan.lattice.weight);
  add_rounded_gaussian(units, outlet.noise, outlet.noise.next_release());

  FrequentLevels result{
      .levels = {}, .threshold = plan.in_rows(plan.threshold), .noise_scale = plan.in_rows(std::int64_t{1} << 26)};
  auto noisy = units.begin();
  for (const auto& [text, count] : by_text) {
    if (*noisy > plan.threshold) result.levels.push_back({text, plan.in_rows(*noisy)});
    ++noisy;
  }
  return result;
}

}  // namespace tailcoat
