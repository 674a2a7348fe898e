// Pearson's chi-square test against exact probabilities, for the statistical tests of the samplers.
#pragma once

#include <boost/math/distributions/chi_squared.hpp>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tailcoat {

// The probability that counts at least this far from expectation arise by chance. Neighbouring bins are pooled until
// each expects 10 or more, the last ones into the one before.
inline double chi_square_p_value(const std::vector<std::int64_t>& counts, const std::vector<double>& probabilities) {
  double draws = 0;
  for (const std::int64_t count : counts) draws += static_cast<double>(count);
  std::vector<double> observed, expected;
  double pooled_count = 0, pooled_expected = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    pooled_count += static_cast<double>(counts[i]);
    pooled_expected += draws * probabilities[i];
    if (pooled_expected < 10) continue;
    observed.push_back(pooled_count);
    expected.push_back(pooled_expected);
    pooled_count = pooled_expected = 0;
  }
  observed.back() += pooled_count;
  expected.back() += pooled_expected;
  double statistic = 0;
  for (std::size_t i = 0; i < observed.size(); ++i)
    statistic += (observed[i] - expected[i]) * (observed[i] - expected[i]) / expected[i];
  const boost::math::chi_squared law(static_cast<double>(observed.size() - 1));
  return boost::math::cdf(boost::math::complement(law, statistic));
}

}  // namespace tailcoat
