#include "tailcoat/privacy/fourier_sum.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "tailcoat/base/rounding.hpp"

namespace tailcoat {
namespace {

using Complex = std::complex<double>;

constexpr double kUnit = std::numeric_limits<double>::epsilon() / 2;
// Atoms of less tilted probability than this, relative to the likeliest, are left out; kLeftOut is more than all of
// them, relative to the sum.
constexpr double kNegligible = 0x1p-76;
constexpr double kLeftOut = 0x1p-58;

// Atoms are rotated together in blocks that stay in registers and the first cache.
constexpr std::size_t kLanes = 4;
constexpr std::size_t kBlock = 64;

// The atoms that matter under a tilt, their weights, and what they are relative to: the moment is
// e^(tilt reference) times the sum of all weights.
struct TiltedAtoms {
  double reference = 0;
  double total = 0;
  double greatest_exponent = 0;  // of |tilt loss|
  std::vector<double> losses;
  std::vector<double> weights;
};

double likeliest(const LossLaw& law, double tilt) {
  double best = -std::numeric_limits<double>::infinity();
  double loss = 0;
  for (std::size_t i = 0; i < law.losses.size(); ++i) {
    if (law.probabilities[i] == 0) continue;
    const double log_weight = std::log(law.probabilities[i]) + tilt * law.losses[i];
    if (log_weight > best) {
      best = log_weight;
      loss = law.losses[i];
    }
  }
  return loss;
}

TiltedAtoms tilted(const LossLaw& law, double tilt) {
  TiltedAtoms atoms;
  atoms.reference = likeliest(law, tilt);
  std::vector<double> weights(law.losses.size());
  for (std::size_t i = 0; i < weights.size(); ++i)
    if (law.probabilities[i] > 0)
      weights[i] = law.probabilities[i] * std::exp(tilt * (law.losses[i] - atoms.reference));
  const double least = *std::ranges::max_element(weights) * kNegligible;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] <= least) continue;
    atoms.losses.push_back(law.losses[i]);
    atoms.weights.push_back(weights[i]);
    atoms.total += weights[i];
    atoms.greatest_exponent = std::max(atoms.greatest_exponent, tilt * std::abs(law.losses[i]));
  }
  return atoms;
}

TiltedMoments moments_of(const TiltedAtoms& atoms, double tilt) {
  double first = 0;
  double second = 0;
  for (std::size_t i = 0; i < atoms.losses.size(); ++i) {
    const double loss = atoms.losses[i] - atoms.reference;
    first += atoms.weights[i] * loss;
    second += atoms.weights[i] * loss * loss;
  }
  const double mean = first / atoms.total;
  return {tilt * atoms.reference + std::log(atoms.total), atoms.reference + mean,
          std::max(0.0, second / atoms.total - mean * mean)};
}

// Adds sum of weight e^(i n angle) over a block of atoms to sums[n], for all n, by rotating each atom step by step.
void add_block(const double* weights, const double* angles, std::size_t size, std::vector<Complex>& sums) {
  std::array<double, kBlock> x{}, y{}, cosine{}, sine{};
  for (std::size_t i = 0; i < size; ++i) {
    x[i] = weights[i];
    cosine[i] = std::cos(angles[i]);
    sine[i] = std::sin(angles[i]);
  }
  for (Complex& sum : sums) {
    std::array<double, kLanes> real{}, imaginary{};
    for (std::size_t i = 0; i < kBlock; i += kLanes) {
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        const double before_x = x[i + lane];
        const double before_y = y[i + lane];
        real[lane] += before_x;
        imaginary[lane] += before_y;
        x[i + lane] = before_x * cosine[i + lane] - before_y * sine[i + lane];
        y[i + lane] = before_x * sine[i + lane] + before_y * cosine[i + lane];
      }
    }
    sum += Complex((real[0] + real[1]) + (real[2] + real[3]),
                   (imaginary[0] + imaginary[1]) + (imaginary[2] + imaginary[3]));
  }
}

}  // namespace

TiltedMoments tilted_moments(const LossLaw& law, double tilt) { return moments_of(tilted(law, tilt), tilt); }

FourierSum::FourierSum(const FourierLine& line)
    : line_(line), powers_(line.frequencies + 1, Complex(1)), errors_(line.frequencies + 1, 0.0) {}

void FourierSum::add(const LossLaw& law, double steps) {
  const TiltedAtoms atoms = tilted(law, line_.tilt);
  const double mean = moments_of(atoms, line_.tilt).mean;
  std::vector<double> angles;
  double widest = 0;
  for (const double loss : atoms.losses) {
    angles.push_back(line_.spacing * (loss - mean));
    widest = std::max(widest, std::abs(angles.back()));
  }
  std::vector<Complex> sums(powers_.size());
  const std::size_t count = atoms.weights.size();
  for (std::size_t first = 0; first < count; first += kBlock)
    add_block(&atoms.weights[first], &angles[first], std::min(kBlock, count - first), sums);

  // How far a sum may be off, relative to sums[0]: exponents, additions, atoms left out, and n rotations.
  const auto blocks = static_cast<double>(count / kBlock + 1);
  const double base = kUnit * (4 * atoms.greatest_exponent + blocks + 64) + kLeftOut;
  for (std::size_t n = 0; n < sums.size(); ++n) {
    const Complex share = sums[n] / sums[0].real();
    const double error = 2 * (base + kUnit * static_cast<double>(n) * (8 + 4 * widest)) + 32 * kUnit;
    const double size = std::abs(share);
    const double power = std::exp(steps * std::log(size));
    const double off = steps * error * std::exp((steps - 1) * std::log(size + error)) + 4096 * kUnit * power;
    errors_[n] += off + errors_[n] * off;
    powers_[n] *= std::polar(power, steps * std::arg(share));
  }
  const double log_moment = steps * (line_.tilt * atoms.reference + std::log(sums[0].real()));
  log_moment_ += log_moment;
  log_moment_error_ += steps * 2 * base + 4 * kUnit * (std::abs(log_moment_) + std::abs(log_moment));
  centre_ += steps * mean;
  centre_error_ += 4 * kUnit * (std::abs(centre_) + std::abs(steps * mean));
}

double FourierSum::delta(double epsilon, double mu) const {
  const double t = line_.tilt;
  const double noise = std::max(mu, line_.least_mu);
  const double mu_squared = mul_up(noise, noise);
  const double shift = centre_ - epsilon + mu_squared * (t + 0.5);
  const double shift_error = centre_error_ + 6 * kUnit * (std::abs(centre_) + epsilon + mu_squared * (t + 0.5));
  const double relative_error = kUnit * (4096 + static_cast<double>(powers_.size()));
  double sum = 0;
  double error = 0;
  for (std::size_t n = 0; n < powers_.size(); ++n) {
    const double theta = static_cast<double>(n) * line_.spacing;
    const Complex z(t, theta);
    const double size = (n == 0 ? 1 : 2) * std::exp(-mu_squared * theta * theta / 2) / std::abs(z * (z + 1.0));
    const Complex term = powers_[n] * std::polar(size, theta * shift - std::arg(z) - std::arg(z + 1.0));
    sum += term.real();
    error += size * (errors_[n] + std::abs(powers_[n]) * (relative_error + theta * shift_error));
  }
  const double last = static_cast<double>(powers_.size() - 1) * line_.spacing;
  // Pi times the bound of the terms beyond the last.
  const double beyond = std::exp(-mu_squared * last * last / 2) / (mu_squared * last * last * last);
  const double whole = line_.spacing / (2 * std::numbers::pi) * (std::max(0.0, sum) + error) + beyond;
  const auto times_moment = [&](double noise_squared, double log_factor) {
    const double gaussian_part = noise_squared * t * (t + 1) / 2;
    const double size = std::abs(log_moment_) + gaussian_part + t * epsilon + std::abs(log_factor) + 64;
    const double log_bound = log_moment_ + gaussian_part - t * epsilon + log_factor;
    const double bound = std::exp(log_bound + log_moment_error_ + 16 * kUnit * size);
    return std::isnan(bound) ? 1 : bound;
  };
  // Chernoff's bound holds as well, and is the better one far beyond all losses.
  return std::min({1.0, times_moment(mu_squared, std::log(whole)), times_moment(mul_up(mu, mu), 0)});
}

}  // namespace tailcoat
