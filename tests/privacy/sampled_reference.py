"""Writes sampled_reference_values.hpp: what sums over Poisson samples with Gaussian noise cost, computed with other means
than the library.

    pip install numpy scipy dp-accounting==0.6.0
    python3 sampled_reference.py > sampled_reference_values.hpp && clang-format -i sampled_reference_values.hpp

The exact epsilon is by numerical inversion of the Laplace transform of delta, with the moments E e^(zL) by quadrature over
the outcome: no grid of losses, no added noise. It is not a bound, but right to about 1e-8; where dp-accounting (Google's
accountant, discretised losses, relation REPLACE_ONE) takes less than a minute, its pessimistic and its optimistic
epsilon must bracket it, else the script stops: up to 1e-5, for the rounding of its transform, which it does not bound
(at delta = 1e-9 its upper bound is 3e-6 below the exact value; further out it is not asked).
"""

import math

import numpy as np
from dp_accounting import NeighboringRelation
from dp_accounting.pld import privacy_loss_distribution as pld
from scipy.optimize import brentq

ROWS = [  # rate, ratio, steps, delta
    (0.1, 1, 10, 1e-6),
    (0.01, 0.5, 1000, 1e-6),
    (0.01, 1, 1000, 1e-6),
    (0.01, 1, 1000, 1e-9),
    (0.02, 0.2, 2500, 1e-6),
    (0.00024, 0.8, 200_000, 1e-6),
    (8.28e-5, 0.7, 4_000_000, 1e-6),
    (5.36e-4, 0.7, 4_000_000, 1e-6),
    (0.5, 0.5, 3, 1e-3),
    (0.2, 2, 20, 1e-12),
    (1e-7, 0.8, 4_000_000, 1e-6),
]


def losses(rate, ratio):
    """Outcomes, their probabilities under the first distribution, and their losses."""
    x = np.arange(-14, 14 + 2 * ratio, 1 / 512)
    log_odds = np.log1p(rate * np.expm1(ratio * x - ratio**2 / 2))
    loss = log_odds - np.log1p(rate * np.expm1(-ratio * x - ratio**2 / 2))
    probability = np.exp(-x * x / 2 + log_odds)
    return probability / probability.sum(), loss


def log_delta(rate, ratio, steps, epsilon):
    probability, loss = losses(rate, ratio)

    def excess(z):  # E e^(zL) - 1, which is small
        return np.sum(probability * np.expm1(z * loss))

    def slope(t):
        exponent = np.log(probability) + t * loss
        weight = np.exp(exponent - exponent.max())
        return steps * np.sum(weight * loss) / weight.sum() - epsilon - 1 / t - 1 / (t + 1)

    t = brentq(slope, 1e-6 / loss.std(), 1000 / loss.std())
    weight = probability * np.exp(t * loss)
    weight /= weight.sum()
    spread = math.sqrt(steps * np.sum(weight * (loss - np.sum(weight * loss)) ** 2) + 1 / t**2)
    step = 2 * math.pi / (40 * spread)
    log_scale = steps * np.log1p(excess(t)) - t * epsilon
    total, n = 0.0, 0
    while True:
        z = t + 1j * n * step
        term = np.exp(steps * np.log1p(excess(z)) - z * epsilon - log_scale) / (z * (z + 1))
        total += term.real * (1 if n == 0 else 2)
        if n > 20 and abs(term) < 1e-13 * abs(total):
            return log_scale + math.log(total * step / (2 * math.pi))
        n += 1


def exact_epsilon(rate, ratio, steps, delta):
    excess = lambda epsilon: log_delta(rate, ratio, steps, epsilon) - math.log(delta)
    high = 1e-4
    while excess(high) > 0:
        high *= 1.5
    return brentq(excess, high / 1.5, high, xtol=1e-13)


def accounted_epsilon(rate, ratio, steps, delta, pessimistic):
    probability, loss = losses(rate, ratio)
    spread = math.sqrt(np.sum(probability * loss**2))
    one = pld.from_gaussian_mechanism(
        1 / ratio,
        sampling_prob=rate,
        value_discretization_interval=min(1e-4, spread / 50),
        pessimistic_estimate=pessimistic,
        neighboring_relation=NeighboringRelation.REPLACE_ONE,
    )
    return one.self_compose(steps).get_epsilon_for_delta(delta)


def row(rate, ratio, steps, delta):
    exact = exact_epsilon(rate, ratio, steps, delta)
    google = 0
    if steps <= 200_000 and delta >= 1e-9:
        google = accounted_epsilon(rate, ratio, steps, delta, True)
        low = accounted_epsilon(rate, ratio, steps, delta, False)
        assert low * (1 - 1e-5) <= exact <= google * (1 + 1e-5), (rate, ratio, steps, delta, low, exact, google)
    return f"    {{{rate!r}, {ratio!r}, {steps}, {delta!r}, {exact:.10g}, {google:.8g}}},"


if __name__ == "__main__":
    print("// Written by sampled_reference.py: do not edit.")
    print("#pragma once\n\n#include <cstddef>\n\nnamespace tailcoat::reference {\n")
    print("struct SampledRow {\n  double rate, ratio;\n  std::size_t steps;\n  double delta;")
    print("  double epsilon;        // exact, to about 1e-8\n  double dp_accounting;  // upper bound of version 0.6.0; 0 where not computed\n};\n")
    print("inline constexpr SampledRow kSampled[] = {")
    for entry in ROWS:
        print(row(*entry), flush=True)
    print("};\n\n}  // namespace tailcoat::reference")
