// Runs: which bins of a noisy histogram hold rows. An empty bin is negative as often as positive, so a bin is believed
// only as part of a run whose sum stands out.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

namespace tailcoat {

struct Run {
  std::size_t first = 0, last = 0;
};

// The run of bins with the largest sum of (count - slack noise): one more bin at its rim must hold more than that.
inline Run best_run(std::span<const double> counts, double noise, double slack) {
  Run best;
  double best_sum = -HUGE_VAL, sum = 0;
  std::size_t first = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (sum <= 0) sum = 0, first = i;
    sum += counts[i] - slack * noise;
    if (sum > best_sum) best_sum = sum, best = {first, i};
  }
  return best;
}

// Its sum is more than `deviations` of what its noise adds up to.
inline bool stands_out(std::span<const double> counts, Run run, double noise, double deviations) {
  double sum = 0;
  for (std::size_t i = run.first; i <= run.last; ++i) sum += counts[i];
  return sum > deviations * noise * std::sqrt(static_cast<double>(run.last - run.first + 1));
}

// Of a run, what is around its fullest bin without a bin that holds too little. Beyond such a hole a tail that is no
// more than noise would begin.
inline Run without_holes(std::span<const double> counts, Run run, double least) {
  const auto inside = counts.subspan(run.first, run.last - run.first + 1);
  const std::size_t top = run.first + static_cast<std::size_t>(std::ranges::max_element(inside) - inside.begin());
  Run whole{top, top};
  while (whole.first > run.first && counts[whole.first - 1] > least) --whole.first;
  while (whole.last < run.last && counts[whole.last + 1] > least) ++whole.last;
  return whole;
}

// The best run without holes, if it stands out by `deviations`, and on either side of it further ones that stand out by
// one more.
inline void mark_visible(std::span<const double> counts, double noise, double slack, double deviations,
                         std::span<char> visible) {
  if (counts.empty()) return;
  const Run run = without_holes(counts, best_run(counts, noise, slack), slack * noise);
  if (!stands_out(counts, run, noise, deviations)) return;
  std::fill(visible.begin() + static_cast<std::ptrdiff_t>(run.first),
            visible.begin() + static_cast<std::ptrdiff_t>(run.last + 1), 1);
  mark_visible(counts.first(run.first), noise, slack, deviations + 1, visible.first(run.first));
  mark_visible(counts.subspan(run.last + 1), noise, slack, deviations + 1, visible.subspan(run.last + 1));
}

inline std::vector<char> visible_bins(std::span<const double> counts, double noise, double slack, double deviations) {
  std::vector<char> visible(counts.size());
  mark_visible(counts, noise, slack, deviations, visible);
  return visible;
}

}  // namespace tailcoat
