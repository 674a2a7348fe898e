// The privacy loss of independent randomised responses: the distribution of a sum of +-epsilon_i, each + with
// probability e^epsilon_i / (1 + e^epsilon_i). It is what pure events compose to at worst.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <vector>

namespace tailcoat {

struct LossAtom {
  double loss;
  double probability;
};

using EpsilonCounts = std::map<double, std::size_t>;  // epsilon -> how many events have it

// The probabilities are within this factor of exact, and the delta they give within it from above.
inline constexpr double kLossDistributionMargin = 0x1p-36;

// The atoms in increasing order of loss, each loss rounded up; at most 4096, neighbours merged into the greater where
// there would be more. Nothing if there are too many events to do this well (2^14, or 64 different epsilons): the
// Renyi curve is then nearly as good.
std::optional<std::vector<LossAtom>> loss_distribution(const EpsilonCounts&);

}  // namespace tailcoat
