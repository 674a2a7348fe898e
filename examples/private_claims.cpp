// Private quantiles and a private mean of simulated insurance claims, next to the exact values, with the receipt. The
// claim amounts have a Pareto tail of exponent 2.2: the variance is finite, but only just. Nothing about the amounts is
// given to the mechanisms; the clip threshold of the mean is itself a private quantile.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <random>
#include <vector>

#include "tailcoat/tailcoat.hpp"

namespace {

using namespace tailcoat;

constexpr std::size_t kRows = 50'000;
constexpr ApproxDp kBudget{.epsilon = 1, .delta = 1e-6};

// Pareto of tail exponent 2.2 and smallest claim 200.
std::vector<double> simulate_claims() {
  std::mt19937_64 engine(2026);
  std::uniform_real_distribution<double> uniform(0, 1);
  std::vector<double> claims(kRows);
  for (double& claim : claims) claim = 200 * std::pow(1 - uniform(engine), -1 / 2.2);
  return claims;
}

struct Summary {
  double median, upper, mean;  // upper: 1 claim in 20 is larger
};

Summary exact_summary(std::vector<double> claims) {
  double total = 0;
  for (double claim : claims) total += claim;
  std::sort(claims.begin(), claims.end());
  return {claims[kRows / 2], claims[kRows - kRows / 20], total / static_cast<double>(kRows)};
}

Result<Summary> private_summary(const std::vector<double>& claims, PrivacyMeter& meter, BitSource& noise) {
  Engine engine;
  const Outlet outlet{meter, noise};
  TAILCOAT_TRY(rows, engine.load(RowsOf<double>{claims.data(), claims.size(), 1, 1}));
  TAILCOAT_TRY(median, column_quantiles(engine, rows, {.share_above = 0.5}, meter.share(0.2), outlet));
  TAILCOAT_TRY(upper, column_quantiles(engine, rows, {.share_above = 0.05}, meter.share(0.2), outlet));
  TAILCOAT_TRY(clip, column_quantiles(engine, rows, {.share_above = 0.005, .precision = 3}, meter.share(0.2), outlet));
  TAILCOAT_TRY(mean, clipped_mean(engine, rows, clip[0], meter.remaining(), outlet));
  return Summary{median[0], upper[0], mean[0]};
}

void print_row(const char* name, double exact, double released) {
  fmt::print("{:<26}{:>14.2f}{:>14.2f}{:>12.2f} %\n", name, exact, released, 100 * (released / exact - 1));
}

}  // namespace

int main(int argc, char** argv) {
  const char* receipt_path = argc > 1 ? argv[1] : "receipt.json";
  const std::vector<double> claims = simulate_claims();
  auto meter = PrivacyMeter::open(kBudget);
  auto noise = BitSource::from_kernel();
  if (!meter || !noise) {
    fmt::print(stderr, "{}\n", (!meter ? meter.error() : noise.error()).message);
    return 1;
  }
  const auto released = private_summary(claims, *meter, *noise);
  if (!released) {
    fmt::print(stderr, "{}\n", released.error().message);
    return 1;
  }

  const Summary exact = exact_summary(claims);
  fmt::print("{} simulated claims, tail exponent 2.2, epsilon = {}, delta = {}\n\n", kRows, kBudget.epsilon,
             kBudget.delta);
  fmt::print("{:<26}{:>14}{:>14}{:>14}\n", "", "exact", "private", "difference");
  print_row("median claim", exact.median, released->median);
  print_row("95 % quantile", exact.upper, released->upper);
  print_row("mean claim", exact.mean, released->mean);

  const Receipt& receipt = meter->receipt();
  if (!(std::ofstream(receipt_path) << receipt.json() << std::endl)) {
    fmt::print(stderr, "cannot write {}\n", receipt_path);
    return 1;
  }
  fmt::print("\n{} releases, mu = {:.6f} of {:.6f} spent; every one of them is in {}\n", receipt.lines.size(),
             receipt.gaussian_spent.mu, receipt.gaussian_budget.mu, receipt_path);
}
