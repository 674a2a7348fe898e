// Weighted rows: a weight multiplies the gradient before it is clipped, and whatever cannot use weights refuses them.
#include <gtest/gtest.h>

#include "helpers.hpp"
#include "tailcoat/noise/gaussian.hpp"

namespace tailcoat {
namespace {

double hostile_weight(std::mt19937_64& random) {
  const std::vector<double> bad = {kNaN, kInf, -kInf, -1, -kSubnormal, -kHuge, 0, -0.0, kSubnormal, kHuge, 1e300};
  return random() % 3 == 0 ? bad[random() % bad.size()] : std::exp(3 * std::normal_distribution<>()(random));
}

const std::vector<Loss> kLosses = {SquaredLoss{},      LogisticLoss{}, PoissonLoss{}, HuberLoss{},
                                   AbsoluteLoss{},     QuantileLoss{}, HingeLoss{},   SmoothedHingeLoss{},
                                   SquaredHingeLoss{}, LinearLoss{}};

// The gradient, weighted by hand, through the path for losses of the user's own. Both clip alike up to float errors.
TEST(Weights, MultiplyTheGradientBeforeTheClip) {
  std::mt19937_64 random(1);
  Engine engine(2);
  const std::size_t n = 300, d = 5;
  const auto values = random_numbers(n * d, random), x = random_numbers(d, random);
  std::vector<double> labels(n), weights(n);
  for (double& y : labels) y = random() % 2 == 0 ? 1 : -1;
  for (double& w : weights) w = std::exp(2 * std::normal_distribution<>()(random));
  const auto data = *engine.load(rows_of(values, d), labels, weights);
  const auto lattice = *clip_lattice(1, d, Gdp{1});
  for (const Loss& loss : kLosses) {
    const SampleGradient gradient = [&](std::size_t i, std::span<const double> at, std::span<double> result) {
      double margin = 0;
      for (std::size_t j = 0; j < d; ++j) margin += values[i * d + j] * at[j];
      const double slope = std::visit([&](const auto& l) { return l.derivative(margin, labels[i]); }, loss);
      for (std::size_t j = 0; j < d; ++j) result[j] = weights[i] * slope * values[i * d + j];
    };
    for (const auto& [first, count] : {std::pair<std::size_t, std::size_t>{0, n}, {37, 101}}) {
      const auto sum = *engine.clipped_gradient_sum(Samples(data, loss).block(first, count), x, lattice);
      const auto by_hand = *engine.clipped_gradient_sum(Samples(n, d, {gradient}).block(first, count), x, lattice);
      for (std::size_t j = 0; j < d; ++j)
        EXPECT_NEAR(static_cast<double>(opened(sum)[j]), static_cast<double>(opened(by_hand)[j]),
                    2 * static_cast<double>(n) + 1e-7 * lattice.clip_units)
            << loss_name(loss);
      EXPECT_EQ(sum.sensitivity, by_hand.sensitivity);
    }
  }
}

TEST(Weights, OfOneChangeNothing) {
  std::mt19937_64 random(2);
  Engine engine(2);
  const std::size_t n = 3000, d = 9;
  const auto values = random_numbers(n * d, random), labels = random_numbers(n, random), x = random_numbers(d, random);
  const std::vector<double> ones(n, 1);
  const auto plain = *engine.load(rows_of(values, d), labels),
             weighted = *engine.load(rows_of(values, d), labels, ones);
  const auto lattice = *clip_lattice(0.7, d, Gdp{1});
  for (const Loss& loss : kLosses)
    EXPECT_EQ(opened(*engine.clipped_gradient_sum({plain, loss}, x, lattice)),
              opened(*engine.clipped_gradient_sum({weighted, loss}, x, lattice)));
}

TEST(Weights, ThatAreNoWeightsLeaveTheRowOut) {
  Engine engine(1);
  const std::vector<double> values = {1, 2}, labels = {1}, x = {0, 0};
  const auto lattice = *clip_lattice(1, 2, Gdp{1});
  for (const double weight : {kNaN, kInf, -kInf, -1.0, -kSubnormal, 0.0}) {
    const std::vector<double> weights = {weight};
    const auto data = *engine.load(rows_of(values, 2), labels, weights);
    for_each_target([&](const char*) {
      const auto sum = *engine.clipped_gradient_sum({data, SquaredLoss{}}, x, lattice);
      EXPECT_EQ(opened(sum), std::vector<std::int64_t>(2)) << weight;
    });
  }
  const std::vector<double> heavy = {kHuge};
  const auto sum =
      *engine.clipped_gradient_sum({*engine.load(rows_of(values, 2), labels, heavy), SquaredLoss{}}, x, lattice);
  EXPECT_NEAR(static_cast<double>(opened(sum)[1]), -lattice.clip_units * 2 / std::sqrt(5), 1);
}

TEST(Weights, SensitivityHoldsForHostileNeighbours) {
  Engine engine(1);
  std::mt19937_64 random(3);
  double most = 0;
  for (int trial = 0; trial < 3000; ++trial) {
    const std::size_t d = std::array<std::size_t, 4>{1, 3, 8, 17}[random() % 4], n = 3;
    const std::vector<double> values = hostile_rows(n, d, random);
    std::vector<double> labels(n), weights(n);
    for (double& label : labels) label = hostile_number(random);
    for (double& weight : weights) weight = hostile_weight(random);
    auto other_values = values, other_labels = labels, other_weights = weights;
    const std::size_t replaced = random() % n;
    const auto row = hostile_row(d, random);
    for (std::size_t j = 0; j < d; ++j)
      other_values[replaced * d + j] = random() % 2 == 0 || trial % 2 == 0 ? -values[replaced * d + j] : row[j];
    other_labels[replaced] = random() % 2 == 0 ? labels[replaced] : hostile_number(random);
    other_weights[replaced] = hostile_weight(random);
    const auto x = random_numbers(d, random);
    const auto lattice = *clip_lattice(std::exp2(std::uniform_int_distribution<>(-30, 30)(random)), d, Gdp{0.01});
    const Loss loss = kLosses[random() % kLosses.size()];
    const auto one =
        *engine.clipped_gradient_sum({*engine.load(rows_of(values, d), labels, weights), loss}, x, lattice);
    const auto two = *engine.clipped_gradient_sum(
        {*engine.load(rows_of(other_values, d), other_labels, other_weights), loss}, x, lattice);
    const Rational share = moved_share(one, two);
    ASSERT_LE(share, 1);
    most = std::max(most, static_cast<double>(share));
  }
  EXPECT_GT(most, 0.99);
}

TEST(Weights, GiveTheSameBitsOnAnyNumberOfThreads) {
  std::mt19937_64 random(4);
  const std::size_t n = 100'000, d = 5;
  const auto values = random_numbers(n * d, random), labels = random_numbers(n, random), x = random_numbers(d, random);
  std::vector<double> weights(n);
  for (double& w : weights) w = hostile_weight(random);
  const auto lattice = *clip_lattice(1, d, Gdp{1});
  std::vector<std::int64_t> expected;
  for (const std::size_t threads : {1, 2, 3, 7}) {
    Engine engine(threads);
    const auto sum = opened(
        *engine.clipped_gradient_sum({*engine.load(rows_of(values, d), labels, weights), LogisticLoss{}}, x, lattice));
    if (expected.empty()) expected = sum;
    EXPECT_EQ(sum, expected);
  }
}

TEST(Weights, AreRefusedWhereTheyWouldBeIgnored) {
  Engine engine(1);
  const std::vector<double> values = {1, 2, 3, 4}, labels = {1, 1, -1, 1}, weights = {1, 2, 3, 4}, x = {0};
  const auto data = *engine.load(rows_of(values, 1), labels, weights);
  const Samples samples(data, LogisticLoss{});
  EXPECT_TRUE(samples.weighted());
  const Domain domain = *Domain::ball({0}, 1);
  const auto refused = [](const auto& result) {
    return !result.ok() && result.error().message.find("weights") != std::string::npos;
  };
  EXPECT_TRUE(refused(engine.one_pass_average(samples, domain, x, {.step = 0.1, .clip = 1}, Gdp{1})));
  EXPECT_TRUE(refused(engine.clipped_coordinate_medians(samples, x, 1, 2, Gdp{1})));
  EXPECT_TRUE(refused(engine.minimiser(samples, domain, x, {.lipschitz = 1, .weight = 1}, Gdp{1})));
  const Guard guard = [](const Sensitive<double>&) { return false; };
  const GuardedPass pass{.step = 0.1, .clip = 1, .longest = 10, .smoothness = 1, .most_clipped = 1};
  EXPECT_TRUE(refused(engine.guarded_average(samples, domain, x, pass, guard, Gdp{1})));
  const std::vector<double> too_few = {1};
  EXPECT_FALSE(engine.load(rows_of(values, 1), labels, too_few).ok());
}

}  // namespace
}  // namespace tailcoat
