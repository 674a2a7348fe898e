"""Writes reference_values.hpp: what the tests of tailcoat/privacy compare with, computed with other means than the library.

    pip install mpmath dp-accounting && python3 reference.py > reference_values.hpp && clang-format -i reference_values.hpp

All numbers come from mpmath at 60 digits: profiles from their definitions (no Mills ratio, no stationarity condition,
mixed compositions by integrating the positive part of the densities' difference), roots by bisection. dp-accounting
(Google's accountant, discretised loss distributions) must bracket the mixed compositions, else the script stops.
"""

import itertools

import dp_accounting.pld.privacy_loss_distribution as pld
import mpmath as mp

mp.mp.dps = 60

EPSILONS = ["1e-4", "1e-3", "0.01", "0.1", "0.5", "1", "2", "8", "30", "100"]
DELTAS = ["1e-30", "1e-20", "1e-12", "1e-9", "1e-6", "1e-5", "1e-3", "0.1"]


def double(text):
    """The double nearest to a decimal number, exactly: the library sees doubles, not decimals."""
    return mp.mpf(float(text))


def upper_tail(x):
    return mp.erfc(x / mp.sqrt(2)) / 2


def gaussian_delta(mu, epsilon):
    with mp.workdps(150):
        return upper_tail(epsilon / mu - mu / 2) - mp.exp(epsilon) * upper_tail(epsilon / mu + mu / 2)


def zcdp_delta(rho, epsilon):
    def log_bound(alpha):
        return (alpha - 1) * (alpha * rho - epsilon) + alpha * mp.log(1 - 1 / alpha) - mp.log(alpha - 1)

    return mp.exp(log_bound(1 + mp.exp(golden_section(lambda x: log_bound(1 + mp.exp(x)), -30, 60))))


def golden_section(function, low, high):
    """The place of the minimum of a unimodal function."""
    ratio = (mp.sqrt(5) - 1) / 2
    low, high = mp.mpf(low), mp.mpf(high)
    a, b = high - ratio * (high - low), low + ratio * (high - low)
    at_a, at_b = function(a), function(b)
    while high - low > mp.mpf(10) ** -16:
        if at_a < at_b:
            high, b, at_b = b, a, at_a
            a = high - ratio * (high - low)
            at_a = function(a)
        else:
            low, a, at_a = a, b, at_b
            b = low + ratio * (high - low)
            at_b = function(b)
    return (low + high) / 2


def root(increasing, goal, low="1e-30", high="1e6"):
    """x with increasing(x) = goal, to 22 digits."""
    low, high = mp.log(mp.mpf(low)), mp.log(mp.mpf(high))
    while high - low > mp.mpf(10) ** -22:
        middle = (low + high) / 2
        low, high = (middle, high) if increasing(mp.exp(middle)) < goal else (low, middle)
    return mp.exp(low)


def randomised_response_divergence(epsilon, alpha):
    p = mp.exp(epsilon) / (1 + mp.exp(epsilon))
    return mp.log(p**alpha * (1 - p) ** (1 - alpha) + (1 - p) ** alpha * p ** (1 - alpha)) / (alpha - 1)


def bounded_range_divergence(epsilon, alpha):
    """The worst two-point pair with losses t and t - epsilon, t found by search."""

    def divergence(t):
        p = (mp.exp(epsilon) - mp.exp(t)) / (mp.exp(epsilon) - 1)
        return mp.log(p * mp.exp((alpha - 1) * t) + (1 - p) * mp.exp((alpha - 1) * (t - epsilon))) / (alpha - 1)

    return divergence(golden_section(lambda t: -divergence(t), 0, epsilon))


def mixed_delta(mu, pure, failures, epsilon):
    """delta of Gaussian mu x randomised responses x failures: the integral of (dP - e^epsilon dQ)_+ ."""
    survival = mp.mpf(1)
    for failure in failures:
        survival *= 1 - failure
    total = mp.mpf(0)
    for signs in itertools.product((0, 1), repeat=len(pure)):
        p = q = mp.mpf(1)
        for sign, pure_epsilon in zip(signs, pure):
            likely = 1 / (1 + mp.exp(-pure_epsilon))
            p *= likely if sign else 1 - likely
            q *= 1 - likely if sign else likely
        start = (epsilon - mp.log(p / q)) / mu + mu / 2
        peak = max(start, mu)
        total += mp.quad(
            lambda x: p * mp.npdf(x, mu) - mp.exp(epsilon) * q * mp.npdf(x, 0),
            [start, peak + 1, peak + 3, peak + 6, peak + 10, peak + 16],
        )
    return 1 - survival + survival * total


def check_with_dp_accounting(mu, pure, failures, epsilon, delta):
    for pessimistic in (True, False):
        options = dict(pessimistic_estimate=pessimistic, value_discretization_interval=2e-4)
        composed = pld.from_gaussian_mechanism(standard_deviation=1 / float(mu), use_connect_dots=pessimistic, **options)
        for pure_epsilon in pure:
            flip = 2 / (1 + mp.exp(pure_epsilon))  # the answer is drawn anew with this probability
            composed = composed.compose(pld.from_randomized_response(float(flip), 2, **options))
        found = composed.get_delta_for_epsilon(float(epsilon))
        survival = mp.mpf(1)
        for failure in failures:
            survival *= 1 - failure
        bound = float(1 - survival + survival * found)
        assert (bound >= delta * (1 - 1e-9)) if pessimistic else (bound <= delta * (1 + 1e-9)), (mu, pure, bound, delta)
        assert abs(bound / delta - 1) < 0.02, (mu, pure, bound, delta)


def number(value):
    return mp.nstr(value, 20, strip_zeros=True)


def rows(name, struct, lines):
    print(f"inline constexpr {struct} {name}[] = {{")
    for line in lines:
        print("    {" + ", ".join(line) + "},")
    print("};\n")


def main():
    print("// Written by reference.py, which says how; do not edit.")
    print("#pragma once\n\n#include <array>\n\nnamespace tailcoat::reference {\n")

    print("struct Conversion {\n  double epsilon, delta, parameter;  // mu or rho\n};\n")
    grid = [(e, d) for e in EPSILONS for d in DELTAS]
    rows("kGaussian", "Conversion",
         [(e, d, number(root(lambda mu: gaussian_delta(mu, double(e)), double(d)))) for e, d in grid])
    rows("kZcdp", "Conversion",
         [(e, d, number(root(lambda rho: zcdp_delta(rho, double(e)), double(d)))) for e, d in grid])

    print("struct Profile {\n  double mu, epsilon, log_delta;\n};\n")
    profiles = [("1e-3", "1"), ("0.01", "0.3"), ("0.2", "7"), ("1", "25"), ("3", "100"), ("0.5", "0"), ("40", "600"),
                ("1e-6", "1e-9"), ("0.3", "-0.2"), ("0.02", "-1e-3"), ("2", "-5"), ("6", "0.01")]
    rows("kProfiles", "Profile",
         [(m, e, number(mp.log(gaussian_delta(double(m), double(e))))) for m, e in profiles])

    print("struct Divergence {\n  double epsilon, alpha, pure, bounded_range;\n};\n")
    orders = [("0.001", "3"), ("0.01", "1000"), ("0.1", "1.5"), ("0.1", "200"), ("1", "1.01"), ("1", "2"), ("1", "30"),
              ("4", "1.2"), ("4", "5"), ("20", "3"), ("60", "1.001")]
    rows("kDivergences", "Divergence",
         [(e, a, number(randomised_response_divergence(double(e), double(a))),
           number(bounded_range_divergence(double(e), double(a)))) for e, a in orders])

    print("// Gaussian mu, pure epsilons (0: none) and failure probabilities (0: none), and delta at epsilon.")
    print("struct Mixture {\n  double mu;\n  std::array<double, 4> pure;\n  std::array<double, 2> failures;")
    print("  double epsilon, delta;\n};\n")
    mixtures = [("0.5", ["0.5"], [], "1"), ("0.5", ["0.5"], [], "0.2"), ("1", ["0.3", "0.3", "0.7"], [], "2"),
                ("0.05", ["0.1"], [], "0.3"), ("0.3", ["0.2", "0.2", "0.2", "0.2"], [], "1.5"),
                ("0.25", ["0.1", "0.4"], ["1e-7"], "1.5"), ("2", ["1", "2"], ["1e-5", "3e-6"], "10")]
    lines = []
    for mu, pure, failures, epsilon in mixtures:
        numbers = double(mu), [double(p) for p in pure], [double(f) for f in failures], double(epsilon)
        delta = mixed_delta(*numbers)
        check_with_dp_accounting(*numbers, delta)
        padded = [", ".join(values + ["0"] * (length - len(values))) for values, length in ((pure, 4), (failures, 2))]
        lines.append((mu, "{" + padded[0] + "}", "{" + padded[1] + "}", epsilon, number(delta)))
    rows("kMixtures", "Mixture", lines)
    print("}  // namespace tailcoat::reference")


main()
