// One-pass averages: neighbouring samples move them by no more than their sensitivity, for all losses, domains, rules
// and rows as hostile as they come, and nearly that much in the worst case; the trajectory on the machine is within its
// float budget of the one in higher precision.
#include "tailcoat/engine/one_pass.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <variant>

#include "helpers.hpp"

namespace tailcoat {
namespace {

using Extended = long double;

const std::vector<Loss> kLosses = {SquaredLoss{},      LogisticLoss{}, PoissonLoss{}, HuberLoss{},
                                   AbsoluteLoss{},     QuantileLoss{}, HingeLoss{},   SmoothedHingeLoss{},
                                   SquaredHingeLoss{}, LinearLoss{}};

bool smooth(const Loss& loss) {
  return std::visit([](const auto& of) { return std::isfinite(of.curvature_bound()); }, loss);
}

double squared_share(const SensitiveSum& one, const SensitiveSum& other) {
  EXPECT_EQ(one.sensitivity, other.sensitivity);
  EXPECT_EQ(one.unit, other.unit);
  return static_cast<double>(squared_distance(opened(one), opened(other)) / squared(exact(one.sensitivity)));
}

Domain random_domain(std::size_t d, std::mt19937_64& random) {
  const double size = std::exp2(std::uniform_int_distribution<>(-10, 10)(random));
  switch (random() % (d == 1 ? 2 : 3)) {  // a simplex of dimension 1 is a point
    case 0:
      return *Domain::ball(std::vector<double>(d, 0.3 * size), size);
    case 1:
      return *Domain::box(std::vector<double>(d, -size), std::vector<double>(d, 1.5 * size));
    default:
      return *Domain::simplex(d, size);
  }
}

std::vector<double> start_in(const Domain& domain, std::mt19937_64& random) {
  std::vector<double> start(domain.dimension());
  for (double& part : start) part = domain.radius() * std::normal_distribution<>()(random);
  EXPECT_TRUE(domain.project(start).ok());
  return start;
}

template <class T>
double largest_share(std::uint64_t seed, int pairs) {
  Engine engine(1);
  std::mt19937_64 random(seed);
  double most = 0;
  for (int trial = 0; trial < pairs; ++trial) {
    const std::size_t d = std::array<std::size_t, 5>{1, 2, 5, 17, 33}[random() % 5], n = 2 + random() % 8;
    const std::size_t replaced = random() % 2 == 0 ? 0 : random() % n;
    std::vector<T> values;
    std::vector<double> labels;
    for (std::size_t i = 0; i < n; ++i) {
      for (const double value : hostile_row(d, random)) values.push_back(static_cast<T>(value));
      labels.push_back(hostile_number(random));
    }
    std::vector<T> other = values;
    std::vector<double> other_labels = labels;
    const std::vector<double> fresh = hostile_row(d, random);
    const bool opposite = random() % 2 == 0;
    for (std::size_t j = 0; j < d; ++j)
      other[replaced * d + j] = opposite ? -values[replaced * d + j] : static_cast<T>(fresh[j]);
    if (!opposite) other_labels[replaced] = hostile_number(random);

    const Loss loss = kLosses[random() % kLosses.size()];
    const Domain domain = random_domain(d, random);
    const std::vector<double> start = start_in(domain, random);
    const double move = domain.radius() * std::exp2(std::uniform_real_distribution<>(-20, 2)(random));
    const double step = std::exp2(std::uniform_real_distribution<>(-20, 20)(random));
    const OnePass pass{.rule = smooth(loss) && random() % 2 == 0 ? StepRule::clipped_gradient : StepRule::implicit,
                       .step = step,
                       .clip = move / step,
                       .steepest = random() % 4 == 0
                                       ? move / step * std::exp2(std::uniform_real_distribution<>(-2, 4)(random))
                                       : kInf};
    const auto average = [&](const std::vector<T>& of, const std::vector<double>& with) {
      const LabelledData data = *engine.load(rows_of(of, d), with);
      auto sum = engine.one_pass_average({data, loss}, domain, start, pass, Gdp{0.1});
      EXPECT_TRUE(sum.ok()) << sum.error().message;
      return *std::move(sum);
    };
    const double share = squared_share(average(values, labels), average(other, other_labels));
    EXPECT_LE(share, 1) << loss_name(loss);
    most = std::max(most, share * std::pow(static_cast<double>(n) / static_cast<double>(n - 1), 2));
  }
  return most;
}

TEST(OnePass, HostileNeighboursMoveTheAverageByAtMostItsSensitivity) {
  for_each_target([](const char* name) {
    SCOPED_TRACE(name);
    EXPECT_GT(largest_share<double>(1, 1500), 0.5);
    EXPECT_GT(largest_share<float>(2, 1500), 0.5);
  });
}

// The first sample pulls one way with all it has, its neighbour the other way; nobody else pulls. Half the sensitivity
// would be exceeded, for every loss and both rules.
TEST(OnePass, SensitivityIsNearlyAttained) {
  Engine engine(1);
  constexpr std::size_t kRows = 200;
  for (const Loss& loss : kLosses) {
    for (const StepRule rule : {StepRule::implicit, StepRule::clipped_gradient}) {
      if (rule == StepRule::clipped_gradient && !smooth(loss)) continue;
      std::vector<double> up(2 * kRows, 0.0), down = up, labels(kRows, 1.0);
      up[0] = 1, down[0] = -1;  // rows of zeros are left out
      const bool classes = std::abs(std::visit([](const auto& l) { return l.derivative(0, 1e3); }, loss)) <= 1;
      labels[0] = classes && !std::holds_alternative<AbsoluteLoss>(loss) ? 1 : 1e3;
      const OnePass pass{.rule = rule, .step = 0.01, .clip = 0.25};
      const auto average = [&](const std::vector<double>& values) {
        const LabelledData data = *engine.load(rows_of(values, 2), labels);
        return *engine.one_pass_average({data, loss}, *Domain::ball({0, 0}, 1), std::vector<double>{0, 0}, pass,
                                        Gdp{0.1});
      };
      const double share = squared_share(average(up), average(down));
      EXPECT_GT(share, 0.98) << loss_name(loss);
      EXPECT_LE(share, 1) << loss_name(loss);
    }
  }
}

// The derivative in higher precision; parameters are the defaults.
Extended derivative(const Loss& loss, Extended t, Extended y) {
  const Extended sign = y > 0 ? 1 : -1, gap = 1 - sign * t, r = t - y;
  const auto clamp = [](Extended x, Extended low, Extended high) { return std::min(std::max(x, low), high); };
  switch (loss.index()) {
    case 0:
      return r;
    case 1:
      return -sign / (1 + std::exp(sign * t));
    case 2:
      return std::exp(t) - y;
    case 3:
      return clamp(r, -static_cast<Extended>(HuberLoss{}.delta), HuberLoss{}.delta);
    case 4:
      return r > 0 ? 1 : -1;
    case 5:
      return (r > 0 ? 1 : 0) - static_cast<Extended>(QuantileLoss{}.level);
    case 6:
      return gap > 0 ? -sign : 0;
    case 7:
      return -sign * clamp(gap / SmoothedHingeLoss{}.width, 0, 1);
    case 8:
      return -sign * std::max<Extended>(gap, 0);
    default:
      return 1;
  }
}

// The alpha within +-limit with alpha in the derivative at t - kappa alpha, by bisection.
Extended implicit_slope(const Loss& loss, Extended t, Extended y, Extended kappa, Extended limit) {
  Extended low = -limit, high = limit;
  for (int i = 0; i < 200; ++i) {
    const Extended middle = low + (high - low) / 2;
    (middle < derivative(loss, t - kappa * middle, y) ? low : high) = middle;
  }
  return low + (high - low) / 2;
}

void project(const Domain& domain, const Domain& as_given, std::vector<Extended>& x) {
  if (const Ball* ball = as_given.as_ball()) {
    Extended squares = 0;
    for (std::size_t j = 0; j < x.size(); ++j) squares += std::pow(x[j] - ball->centre()[j], 2);
    const Extended ratio = ball->radius() / std::sqrt(squares);
    for (std::size_t j = 0; ratio < 1 && j < x.size(); ++j)
      x[j] = ball->centre()[j] + (x[j] - ball->centre()[j]) * ratio;
    return;
  }
  for (std::size_t j = 0; j < x.size(); ++j) {  // a box around its centre, all sides alike
    const Extended half = domain.diameter() / 2 / std::sqrt(static_cast<Extended>(x.size()));
    x[j] = std::min(std::max(x[j], domain.centre()[j] - half), domain.centre()[j] + half);
  }
}

struct Comparison {
  double error, allowed;  // distance from the trajectory in higher precision; what the sensitivity allows for it
};

Comparison compared(Engine& engine, const std::vector<double>& values, const std::vector<double>& labels,
                    const Loss& loss, const Domain& domain, const std::vector<double>& start, const OnePass& pass) {
  const std::size_t d = start.size(), n = labels.size();
  std::vector<Extended> x(start.begin(), start.end()), sum(d);
  for (std::size_t i = 0; i < n; ++i) {
    Extended squares = 0, t = 0;
    for (std::size_t j = 0; j < d; ++j) {
      sum[j] += x[j];
      squares += static_cast<Extended>(values[i * d + j]) * values[i * d + j];
      t += x[j] * values[i * d + j];
    }
    const Extended limit = pass.clip / std::sqrt(squares);
    const Extended alpha = pass.rule == StepRule::implicit
                               ? implicit_slope(loss, t, labels[i], pass.step * squares, limit)
                               : std::min(std::max(derivative(loss, t, labels[i]), -limit), limit);
    for (std::size_t j = 0; j < d; ++j) x[j] -= pass.step * alpha * values[i * d + j];
    project(domain, domain, x);
  }
  const LabelledData data = *engine.load(rows_of(values, d), labels);
  const auto machine = *engine.one_pass_average({data, loss}, domain, start, pass, Gdp{0x1p12});
  double error = 0;
  for (std::size_t j = 0; j < d; ++j) {
    const Extended average = sum[j] / static_cast<Extended>(n) - start[j];
    error += static_cast<double>(std::pow(static_cast<Extended>(opened(machine)[j]) * machine.unit - average, 2));
  }
  const double exact_part = 2 * pass.step * pass.clip * (1 - 1 / static_cast<double>(n));
  const double rounding = std::sqrt(static_cast<double>(d)) * machine.unit;
  return {std::sqrt(error), (machine.sensitivity * machine.unit - exact_part - rounding) / 2 + rounding / 2};
}

// Ordinary rows, and labels and norms of all sizes at which a record takes part.
TEST(OnePass, TrajectoriesAreWithinTheirFloatBudget) {
  Engine engine(1);
  std::mt19937_64 random(5);
  double most = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    const std::size_t d = 1 + random() % 8, n = 2 + random() % 20;
    const Loss loss = kLosses[random() % kLosses.size()];
    const double step = std::exp2(std::uniform_real_distribution<>(-16, 6)(random));
    const bool explicit_rule = smooth(loss) && random() % 3 == 0;
    const double size = std::exp2(std::uniform_int_distribution<>(-6, 6)(random));
    const Domain domain = random() % 2 == 0
                              ? *Domain::ball(std::vector<double>(d, 0.25 * size), size)
                              : *Domain::box(std::vector<double>(d, -0.5 * size), std::vector<double>(d, 1.5 * size));
    std::vector<double> values, labels;
    const double clip = size / step * std::exp2(std::uniform_real_distribution<>(-14, -1)(random));
    for (std::size_t i = 0; i < n; ++i) {
      double length = std::exp2(std::uniform_real_distribution<>(-20, 20)(random));
      if (explicit_rule) length = std::min(length, std::sqrt(1.9 / step));
      std::vector<double> row(d);
      double squares = 0;
      for (double& part : row) squares += std::pow(part = std::normal_distribution<>()(random), 2);
      for (double& part : row) values.push_back(part * length / std::sqrt(squares));
      const double most_label = 0x1p15 * clip / length;  // within the rule for Poisson labels
      const double label =
          std::abs(std::normal_distribution<>()(random)) * std::exp2(std::uniform_real_distribution<>(-20, 20)(random));
      labels.push_back(std::holds_alternative<PoissonLoss>(loss) ? std::min(label, most_label)
                                                                 : (random() % 2 == 0 ? label : -label));
    }
    const OnePass pass{
        .rule = explicit_rule ? StepRule::clipped_gradient : StepRule::implicit, .step = step, .clip = clip};
    const Comparison result = compared(engine, values, labels, loss, domain, start_in(domain, random), pass);
    ASSERT_LE(result.error, result.allowed) << loss_name(loss) << " step " << step << " clip " << clip;
    most = std::max(most, result.error / result.allowed);
  }
  EXPECT_GT(most, 1e-3);  // the budget is not out of all proportion
}

// Large counts near their mean, where e^t - y cancels.
TEST(OnePass, PoissonCountsNearTheirMeanAreWithinTheBudget) {
  Engine engine(1);
  std::mt19937_64 random(9);
  double most = 0;
  for (int trial = 0; trial < 3000; ++trial) {
    const double length = std::exp2(std::uniform_real_distribution<>(-4, 4)(random)), clip = 1;
    const double step = std::exp2(std::uniform_real_distribution<>(-40, 8)(random));
    const double label = 0x1p15 * clip / length, x = std::log(label) / length;
    const Domain domain = *Domain::box({x - 1e-3}, {x + 1e-3});
    const OnePass pass{.step = step, .clip = clip};
    const std::vector<double> values = {length, length};
    const Comparison result = compared(engine, values, {label, label}, PoissonLoss{}, domain, {x}, pass);
    ASSERT_LE(result.error, result.allowed) << "step " << step << " length " << length;
    most = std::max(most, result.error / result.allowed);
  }
  EXPECT_GT(most, 1e-4);
}

// Along the boundary of a ball, in steps below the resolution of its points and above it: not looking at the boundary
// at each step costs nothing.
TEST(OnePass, ManySmallStepsAtTheBoundaryOfABallStayWithinTheBudget) {
  Engine engine(1);
  std::mt19937_64 random(6);
  for (const double move : {1e-18, 1e-16, 1e-13, 1e-9, 1e-4}) {
    constexpr std::size_t kRows = 5000;
    std::vector<double> values, labels(kRows, 0.0);
    for (std::size_t i = 0; i < kRows; ++i) {
      values.push_back(-1 + 0.1 * std::normal_distribution<>()(random));
      values.push_back(std::normal_distribution<>()(random));
    }
    const Domain domain = *Domain::ball({0, 0}, 1);
    const OnePass pass{.step = move, .clip = 1};
    const Comparison result = compared(engine, values, labels, LinearLoss{}, domain, {1 - 1e-10, 0}, pass);
    EXPECT_LE(result.error, result.allowed) << move;
  }
}

// f(x; s) = |x - s| (steep >= 1 times that), whose implicit step is a move of `steep e` towards s, in a ball that holds
// s.
SampleStep toward(const std::vector<std::vector<double>>& targets, double steep, double error,
                  std::mt19937_64& random) {
  return [&targets, steep, error, &random](std::size_t row, std::span<const double> x, double e, std::span<double> y) {
    double squares = 0, noise = 0;
    std::vector<double> off(x.size());
    for (std::size_t j = 0; j < x.size(); ++j) {
      squares += std::pow(targets[row][j] - x[j], 2);
      noise += std::pow(off[j] = std::normal_distribution<>()(random), 2);
    }
    const double away = std::sqrt(squares), ratio = away <= steep * e ? 1 : steep * e / away;
    for (std::size_t j = 0; j < x.size(); ++j)
      y[j] = x[j] + ratio * (targets[row][j] - x[j]) + (noise > 0 ? 0.9 * error * off[j] / std::sqrt(noise) : 0);
  };
}

TEST(OnePass, NeighboursOfAUsersLossMoveTheAverageByAtMostItsSensitivity) {
  Engine engine(1);
  std::mt19937_64 random(7);
  double most = 0;
  for (int trial = 0; trial < 1000; ++trial) {
    const std::size_t d = 1 + random() % 3, n = 2 + random() % 10, replaced = random() % n;
    const double steep = std::array<double, 3>{0.5, 1, 50}[random() % 3];  // below, at and far above the clip
    const double error = random() % 2 == 0 ? 0 : 1e-7;
    const Domain domain = *Domain::ball(std::vector<double>(d, 0), 2);
    std::vector<std::vector<double>> one, other;
    for (std::size_t i = 0; i < n; ++i) {
      one.push_back(start_in(domain, random));
      if (random() % 4 == 0) one.back() = std::vector<double>(d, 0.0);
    }
    other = one;
    for (double& part : other[replaced]) part = -part;
    const OnePass pass{.step = std::exp2(std::uniform_real_distribution<>(-8, -2)(random)), .clip = 1};
    const std::vector<double> start(d, 0.0);
    const auto average = [&](const std::vector<std::vector<double>>& targets) {
      const Samples samples(n, d, {.implicit_step = toward(targets, steep, error, random), .step_error = error});
      return *engine.one_pass_average(samples, domain, start, pass, Gdp{0.1});
    };
    const double share = squared_share(average(one), average(other));
    EXPECT_LE(share, 1);
    most = std::max(most, share * std::pow(static_cast<double>(n) / static_cast<double>(n - 1), 2));
  }
  EXPECT_GT(most, 0.9);
}

// The Lipschitz extension of a steep loss moves by exactly step clip, in the direction of the steep loss's own step.
TEST(OnePass, AStepOfASteepLossIsCutToItsClip) {
  Engine engine(1);
  std::mt19937_64 random(8);
  const std::vector<std::vector<double>> targets = {{1.2, 1.6}, {1.2, 1.6}};
  const Samples samples(2, 2, {.implicit_step = toward(targets, 1000, 0, random)});
  const auto sum = *engine.one_pass_average(samples, *Domain::ball({0, 0}, 2), std::vector<double>{0, 0},
                                            {.step = 0.25, .clip = 2}, Gdp{64});
  EXPECT_NEAR(static_cast<double>(opened(sum)[0]) * sum.unit, 0.6 * 0.5 / 2, 1e-7);
  EXPECT_NEAR(static_cast<double>(opened(sum)[1]) * sum.unit, 0.8 * 0.5 / 2, 1e-7);
}

TEST(OnePass, SamplesThatMayBeSteeperAreLeftOut) {
  Engine engine(1);
  const std::vector<double> values = {1, 0, 3, 0, 1, 0}, labels = {0, 0, 0};
  const LabelledData data = *engine.load(rows_of(values, 2), labels);
  const auto shift = [&](double steepest) {
    const auto sum = *engine.one_pass_average({data, LinearLoss{}}, *Domain::ball({0, 0}, 9), std::vector<double>{0, 0},
                                              {.step = 0.1, .clip = 10, .steepest = steepest}, Gdp{1});
    return static_cast<double>(opened(sum)[0]) * sum.unit;
  };
  EXPECT_NEAR(shift(kInf), -(0.1 + 0.4) / 3, 1e-5);
  EXPECT_NEAR(shift(3.1), -(0.1 + 0.4) / 3, 1e-5);
  EXPECT_NEAR(shift(2.9), -(0.1 + 0.1) / 3, 1e-5);
}

TEST(OnePass, RefusesWhatItsProofDoesNotCover) {
  Engine engine(1);
  const std::vector<double> values = {1, 2}, labels = {0, 1};
  const LabelledData data = *engine.load(rows_of(values, 1), labels);
  const Domain domain = *Domain::ball({0}, 1);
  const auto kind = [&](const Samples& samples, const OnePass& pass, const Domain& where, std::vector<double> start,
                        Gdp cost = Gdp{0.1}) {
    const auto sum = engine.one_pass_average(samples, where, start, pass, cost);
    EXPECT_FALSE(sum.ok());
    return sum.ok() ? ErrorKind::system : sum.error().kind;
  };
  const Samples good(data, SquaredLoss{});
  const OnePass pass{.step = 0.1, .clip = 1};
  EXPECT_EQ(kind(good, {.step = 0, .clip = 1}, domain, {0}), ErrorKind::usage);
  EXPECT_EQ(kind(good, {.step = kNaN, .clip = 1}, domain, {0}), ErrorKind::usage);
  EXPECT_EQ(kind(good, {.step = 0.1, .clip = kInf}, domain, {0}), ErrorKind::usage);
  EXPECT_EQ(kind(good, {.step = 0.1, .clip = 1, .steepest = 0}, domain, {0}), ErrorKind::usage);
  EXPECT_EQ(kind(good, pass, domain, {2}), ErrorKind::usage);
  EXPECT_EQ(kind(good, pass, domain, {kNaN}), ErrorKind::usage);
  EXPECT_EQ(kind(good, pass, domain, {0, 0}), ErrorKind::usage);
  EXPECT_EQ(kind(good, pass, *Domain::ball({0, 0}, 1), {0}), ErrorKind::usage);
  EXPECT_EQ(kind(good.block(0, 1), pass, domain, {0}), ErrorKind::usage);
  EXPECT_EQ(kind(good, pass, *Domain::intersection({domain, domain}), {0}), ErrorKind::refused);
  const OnePass explicit_pass{.rule = StepRule::clipped_gradient, .step = 0.1, .clip = 1};
  for (const Loss& loss : kLosses) {
    if (smooth(loss)) continue;
    EXPECT_EQ(kind({data, loss}, explicit_pass, domain, {0}), ErrorKind::refused);
  }
  const SampleStep stay = [](std::size_t, auto x, double, std::span<double> y) { std::ranges::copy(x, y.begin()); };
  EXPECT_EQ(kind({2, 1, {.implicit_step = stay}}, explicit_pass, domain, {0}), ErrorKind::refused);
  EXPECT_EQ(kind({2, 1, {}}, pass, domain, {0}), ErrorKind::usage);
  EXPECT_EQ(kind({2, 1, {.implicit_step = stay, .step_error = -1}}, pass, domain, {0}), ErrorKind::usage);
  EXPECT_EQ(kind({2, 1, {.implicit_step = stay, .step_error = kNaN}}, pass, domain, {0}), ErrorKind::usage);
  EXPECT_EQ(kind({2, 1, {.implicit_step = stay}}, {.step = 0.1, .clip = 1, .steepest = 1}, domain, {0}),
            ErrorKind::usage);
  EXPECT_FALSE(engine.one_pass_average(good, domain, std::vector<double>{0}, pass, Gdp{0}).ok());
  const SampleStep throws = [](std::size_t, auto, double, std::span<double>) { throw std::runtime_error("no"); };
  EXPECT_FALSE(
      engine.one_pass_average({2, 1, {.implicit_step = throws}}, domain, std::vector<double>{0}, pass, Gdp{1}).ok());
}

}  // namespace
}  // namespace tailcoat
