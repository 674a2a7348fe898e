#include "tailcoat/privacy/loss_distribution.hpp"

#include <algorithm>
#include <cmath>

#include "tailcoat/base/rounding.hpp"
#include "tailcoat/privacy/upward_sum.hpp"

namespace tailcoat {
namespace {

constexpr std::size_t kMostAtoms = 4096;
constexpr std::size_t kMostEvents = std::size_t{1} << 14;
constexpr std::size_t kMostEpsilons = 64;

// Unlikely atoms are taken for more likely than they are before their probability can underflow.
constexpr double kLeastWeight = 1e-200;
constexpr double kGreatestLoss = 1e300;

using Atoms = std::vector<LossAtom>;

// `count` responses of equal epsilon: j of them +, with binomial weight relative to the most likely j.
Atoms binomial_losses(double epsilon, std::size_t count) {
  const auto n = static_cast<double>(count);
  const double odds = std::exp(epsilon);
  const auto mode = std::min(count, static_cast<std::size_t>((n + 1) / (1 + std::exp(-epsilon))));
  std::vector<double> weights(count + 1, 1.0);
  for (std::size_t j = mode; j < count; ++j) {
    const auto plus = static_cast<double>(j);
    weights[j + 1] = std::max(kLeastWeight, weights[j] * ((n - plus) / (plus + 1)) * odds);
  }
  for (std::size_t j = mode; j > 0; --j) {
    const auto plus = static_cast<double>(j);
    weights[j - 1] = std::max(kLeastWeight, weights[j] * (plus / (n - plus + 1)) / odds);
  }
  UpwardSum total;
  for (const double weight : weights) total.add(weight);

  Atoms atoms;
  for (std::size_t j = 0; j <= count; ++j)
    atoms.push_back({mul_up(2 * static_cast<double>(j) - n, epsilon), weights[j] / total.above()});
  return atoms;
}

Atoms all_sums(const Atoms& a, const Atoms& b) {
  Atoms sums;
  for (const LossAtom& x : a)
    for (const LossAtom& y : b) sums.push_back({add_up(x.loss, y.loss), mul_up(x.probability, y.probability)});
  std::ranges::sort(sums, {}, &LossAtom::loss);
  Atoms merged;
  for (const LossAtom& atom : sums) {
    if (!merged.empty() && merged.back().loss == atom.loss) {
      merged.back().probability = add_up(merged.back().probability, atom.probability);
    } else {
      merged.push_back(atom);
    }
  }
  return merged;
}

// The sums by equal bins of loss, each bin standing at the greatest loss found in it.
Atoms binned_sums(const Atoms& a, const Atoms& b) {
  struct Bin {
    double loss = 0;
    UpwardSum probability;
    bool used = false;
  };
  std::vector<Bin> bins(kMostAtoms);
  const double lowest = a.front().loss + b.front().loss;
  const double width = (a.back().loss + b.back().loss - lowest) / static_cast<double>(kMostAtoms - 1);
  for (const LossAtom& x : a) {
    for (const LossAtom& y : b) {
      const double loss = add_up(x.loss, y.loss);
      const auto index = static_cast<std::size_t>(std::max(0.0, (loss - lowest) / width));
      Bin& bin = bins[std::min(index, kMostAtoms - 1)];
      bin.loss = bin.used ? std::max(bin.loss, loss) : loss;
      bin.used = true;
      bin.probability.add(mul_up(x.probability, y.probability));
    }
  }
  Atoms merged;
  for (const Bin& bin : bins)
    if (bin.used) merged.push_back({bin.loss, bin.probability.above()});
  return merged;
}

}  // namespace

std::optional<std::vector<LossAtom>> loss_distribution(const EpsilonCounts& counts) {
  std::size_t events = 0;
  double greatest_loss = 0;
  for (const auto& [epsilon, count] : counts) {
    if (count >= kMostAtoms) return std::nullopt;
    events += count;
    greatest_loss += epsilon * static_cast<double>(count);
  }
  if (counts.size() > kMostEpsilons || events > kMostEvents || greatest_loss > kGreatestLoss) return std::nullopt;

  Atoms atoms{{0, 1}};
  for (const auto& [epsilon, count] : counts) {
    const Atoms more = binomial_losses(epsilon, count);
    atoms = atoms.size() * more.size() <= kMostAtoms ? all_sums(atoms, more) : binned_sums(atoms, more);
  }
  return atoms;
}

}  // namespace tailcoat
