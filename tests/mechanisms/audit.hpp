// Audits: how far apart are the releases of a mechanism on two neighbouring data sets, seen from outside? Runs are
// seeded, so each audit is one fixed experiment; the intervals are chosen for a false alarm of less than 1e-6 over
// seeds.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "tailcoat/mechanisms/outlet.hpp"

namespace tailcoat {

// A meter for one run and a seeded source: what a test passes as an outlet.
struct TestOutlet {
  PrivacyMeter meter;
  BitSource noise;

  TestOutlet(Gdp budget, std::uint64_t seed)
      : meter(*PrivacyMeter::open(budget)), noise(BitSource::insecure_seeded(seed)) {}
  operator Outlet() { return {meter, noise}; }
};

struct Shift {
  double mu;     // distance of the mean releases, in standard deviations of the noise
  double error;  // its standard error
};

// Runs `release(side, seed)` on both sides and projects the releases on the difference of their means.
template <class F>
Shift measured_shift(int runs, F&& release) {
  std::vector<std::vector<double>> sides[2];
  for (int side = 0; side < 2; ++side)
    for (int i = 0; i < runs; ++i) sides[side].push_back(release(side, static_cast<std::uint64_t>(2 * i + side)));

  const std::size_t size = sides[0][0].size();
  std::vector<double> direction(size, 0);
  for (std::size_t j = 0; j < size; ++j)
    for (int i = 0; i < runs; ++i)
      direction[j] += (sides[0][static_cast<std::size_t>(i)][j] - sides[1][static_cast<std::size_t>(i)][j]) / runs;

  double mean[2] = {0, 0}, variance = 0;
  std::vector<double> projected[2];
  for (int side = 0; side < 2; ++side) {
    for (const auto& values : sides[side]) {
      double dot = 0;
      for (std::size_t j = 0; j < size; ++j) dot += values[j] * direction[j];
      projected[side].push_back(dot);
      mean[side] += dot / runs;
    }
    for (double dot : projected[side]) variance += (dot - mean[side]) * (dot - mean[side]) / (2.0 * runs - 2);
  }
  return {std::abs(mean[0] - mean[1]) / std::sqrt(variance), std::sqrt(2.0 / runs)};
}

}  // namespace tailcoat
