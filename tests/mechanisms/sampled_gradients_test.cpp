#include "tailcoat/mechanisms/sampled_gradients.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <stdexcept>

#include "tailcoat/noise/gaussian.hpp"
#include "tailcoat/privacy/accountant.hpp"

namespace tailcoat {
namespace {

constexpr std::size_t kRows = 50, kColumns = 3;

struct Data {
  std::vector<double> rows, labels = std::vector<double>(kRows);
};

Data data_from(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Data data{.rows = std::vector<double>(kRows * kColumns)};
  for (double& value : data.rows) value = std::normal_distribution<>()(random);
  return data;
}

PrivacyMeter meter_for(const SampledGaussianEvent& event) {
  return *PrivacyMeter::open(ApproxDp{35, 1e-2}, {event}, Gdp{0});
}

// The gradients of all steps at the same x, of a linear loss over the rows.
std::vector<std::vector<double>> gradients_of(const Data& data, double clip, const SampledGaussianEvent& event,
                                              std::uint64_t seed) {
  Engine engine(1);
  const auto loaded = *engine.load(RowsOf<double>{data.rows.data(), kRows, kColumns, kColumns}, data.labels);
  auto meter = meter_for(event);
  BitSource noise = BitSource::insecure_seeded(seed);
  auto gradients =
      SampledGradients::open(engine, Samples(loaded, LinearLoss{}), clip, event, "gradients", {meter, noise});
  EXPECT_TRUE(gradients.ok()) << gradients.error().message;
  std::vector<std::vector<double>> all;
  const std::vector<double> x(kColumns, 0.1);
  for (std::size_t t = 0; t < event.steps; ++t) {
    std::vector<double> g(kColumns);
    EXPECT_TRUE(gradients->at(x, g).ok());
    all.push_back(g);
  }
  return all;
}

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double squares = 0;
  for (std::size_t j = 0; j < a.size(); ++j) squares += (a[j] - b[j]) * (a[j] - b[j]);
  return std::sqrt(squares);
}

// After an error there are no more steps: the batch would be drawn a second time, and a caller who waits for a callback
// to succeed sees what the event does not account for.
TEST(SampledGradients, AStepThatFailsIsTheLast) {
  const SampledGaussianEvent event{.rate = 0.9, .ratio = 0.7, .steps = 5};
  bool fails = false;
  const SampleGradient gradient = [&](std::size_t, std::span<const double>, std::span<double> g) {
    if (fails) throw std::runtime_error("once");
    g[0] = 1;
  };
  Engine engine(1);
  auto meter = meter_for(event);
  BitSource noise = BitSource::insecure_seeded(1);
  auto gradients =
      *SampledGradients::open(engine, {kRows, 1, {.gradient = gradient}}, 1, event, "gradients", {meter, noise});
  std::vector<double> g(1);
  const std::vector<double> x(1);
  EXPECT_TRUE(gradients.at(x, g).ok());
  fails = true;
  EXPECT_FALSE(gradients.at(x, g).ok());
  fails = false;
  const auto after = gradients.at(x, g);
  ASSERT_FALSE(after.ok());
  EXPECT_NE(after.error().message.find("all steps"), std::string::npos);
}

// With the same bits nothing differs until the replaced row is drawn, and then by at most twice the bound of a row,
// ratio times the noise: nearly that much for opposite records.
TEST(SampledGradients, AReplacedRowMovesTheStepsThatDrewItByTwiceTheRatio) {
  const SampledGaussianEvent event{.rate = 0.1, .ratio = 0.7, .steps = 400};
  const double clip = 2;
  std::mt19937_64 random(2);
  for (int trial = 0; trial < 10; ++trial) {
    Data one = data_from(3), other = one;
    const std::size_t row = random() % kRows;
    for (std::size_t j = 0; j < kColumns; ++j) {
      one.rows[row * kColumns + j] = 1e6 * (trial % 2 == 0 ? 1 : std::normal_distribution<>()(random));
      other.rows[row * kColumns + j] = -one.rows[row * kColumns + j];
    }
    const double noise = *sampled_gradient_noise(clip, kColumns, kRows, event);
    const auto g = gradients_of(one, clip, event, 5), h = gradients_of(other, clip, event, 5);
    std::size_t moved = 0;
    for (std::size_t t = 0; t < event.steps; ++t) {
      const double away = distance(g[t], h[t]);
      if (away == 0) continue;
      ++moved;
      EXPECT_LE(away, 2 * event.ratio * noise * (1 + 1e-12));
      EXPECT_GE(away, 2 * event.ratio * noise * (1 - 1e-6));
    }
    EXPECT_NEAR(static_cast<double>(moved), 40, 36);  // six standard deviations
    EXPECT_GT(moved, 0u);
  }
}

TEST(SampledGradients, TheMeanOverStepsIsTheMeanOverAllClippedRowsAndTheNoiseIsAsStated) {
  const SampledGaussianEvent event{.rate = 0.2, .ratio = 0.5, .steps = 200};
  const Data data = data_from(7);
  const double clip = 1.5;
  std::vector<std::vector<double>> g;
  for (std::uint64_t seed = 0; seed < 100; ++seed)
    for (const auto& step : gradients_of(data, clip, event, seed)) g.push_back(step);
  const double noise = *sampled_gradient_noise(clip, kColumns, kRows, event), b = event.rate * kRows;
  const auto steps = static_cast<double>(g.size());
  EXPECT_NEAR(noise, clip / (event.ratio * b), 1e-6 * noise);
  for (std::size_t j = 0; j < kColumns; ++j) {
    double mean = 0, expected = 0, squares = 0, spread = 0;
    for (std::size_t i = 0; i < kRows; ++i) {
      const double* row = data.rows.data() + i * kColumns;
      const double norm = std::hypot(row[0], row[1], row[2]), value = row[j] * std::min(1.0, clip / norm);
      expected += value / kRows;
      squares += value * value / kRows;
    }
    for (const auto& step : g) mean += step[j] / steps;
    for (const auto& step : g) spread += (step[j] - mean) * (step[j] - mean) / steps;
    const double variance = noise * noise + (1 - event.rate) / b * squares;
    EXPECT_NEAR(mean, expected, 5 * std::sqrt(variance / steps));  // false alarms: 6e-7
    EXPECT_NEAR(spread / variance, 1, 6 * std::sqrt(2 / steps));   // 2e-9
  }
}

TEST(SampledGradients, MoreStepsThanWerePaidForAreRefused) {
  const SampledGaussianEvent event{.rate = 0.2, .ratio = 0.5, .steps = 2};
  const Data data = data_from(7);
  Engine engine(1);
  const auto loaded = *engine.load(RowsOf<double>{data.rows.data(), kRows, kColumns, kColumns}, data.labels);
  auto meter = meter_for(event);
  BitSource noise = BitSource::insecure_seeded(1);
  auto gradients = *SampledGradients::open(engine, Samples(loaded, LinearLoss{}), 1, event, "g", {meter, noise});
  std::vector<double> x(kColumns), g(kColumns);
  EXPECT_TRUE(gradients.at(x, g).ok());
  EXPECT_TRUE(gradients.at(x, g).ok());
  EXPECT_FALSE(gradients.at(x, g).ok());
}

// One line, with public numbers only: what a batch held, or how many rows were in it, is nowhere.
TEST(SampledGradients, TheReceiptHasOneLineForAllSteps) {
  const SampledGaussianEvent event{.rate = 0.2, .ratio = 0.5, .steps = 100};
  const Data data = data_from(7);
  Engine engine(1);
  const auto loaded = *engine.load(RowsOf<double>{data.rows.data(), kRows, kColumns, kColumns}, data.labels);
  auto meter = meter_for(event);
  BitSource noise = BitSource::insecure_seeded(1);
  ASSERT_TRUE(SampledGradients::open(engine, Samples(loaded, LinearLoss{}), 1, event, "solve", {meter, noise}).ok());
  ASSERT_EQ(meter.receipt().lines.size(), 1u);
  const ReceiptLine& line = meter.receipt().lines[0];
  EXPECT_EQ(line.release.mechanism, "sampled-gaussian");
  EXPECT_EQ(line.release.values, 300u);
  EXPECT_EQ(line.price.rate, 0.2);
  EXPECT_EQ(line.price.steps, 100u);
  EXPECT_FALSE(line.release.secure_noise);
}

// d = 1, one row and its opposite, three steps: what an attacker with the best test attains is what is accounted.
TEST(SampledGradients, TheBestTestAttainsTheAccountedDelta) {
#ifdef TAILCOAT_SLOW_TEST
  constexpr int kRuns = 5'000'000;
#else
  constexpr int kRuns = 200'000;
#endif
  const SampledGaussianEvent event{.rate = 0.5, .ratio = 1, .steps = 3};
  const double epsilon = 1;
  Accountant accountant;
  ASSERT_TRUE(accountant.add(event).ok());
  const double claimed = *accountant.delta(epsilon);
  ParallelEvent copies{std::vector<std::vector<Event>>(1000, {event})};
  const double value[2] = {1, -1}, label = 0;
  double above[2] = {0, 0};          // how often the privacy loss exceeds epsilon, in either world
  const auto loss = [&](double z) {  // of a step with noise of deviation 1, in favour of the first world
    const double s = event.ratio, q = event.rate;
    return std::log1p(q * std::expm1(s * z - s * s / 2)) - std::log1p(q * std::expm1(-s * z - s * s / 2));
  };
  Engine engine(1);
  for (int world = 0; world < 2; ++world) {
    const auto loaded = *engine.load(RowsOf<double>{value + world, 1, 1, 1}, {&label, 1});
    BitSource noise = BitSource::insecure_seeded(static_cast<std::uint64_t>(world) + 11);
    const double deviation = *sampled_gradient_noise(0.5, 1, 1, event);
    for (int done = 0; done < kRuns;) {
      auto meter = *PrivacyMeter::open(ApproxDp{30, 1e-2}, {copies}, Gdp{0});
      auto meters = *meter.split(copies);
      for (std::size_t i = 0; i < meters.size() && done < kRuns; ++i, ++done) {
        auto gradients =
            *SampledGradients::open(engine, Samples(loaded, LinearLoss{}), 0.5, event, "g", {meters[i], noise});
        double total = 0, x = 0, g = 0;
        for (std::size_t t = 0; t < event.steps; ++t) {
          ASSERT_TRUE(gradients.at({&x, 1}, {&g, 1}).ok());
          total += loss(g / deviation);
        }
        above[world] += total > epsilon ? 1.0 / kRuns : 0;
      }
    }
  }
  const double attained = above[0] - std::exp(epsilon) * above[1];
  const double error = std::sqrt((above[0] + std::exp(2 * epsilon) * above[1]) / kRuns);
  EXPECT_LE(attained, claimed + 5 * error);
  EXPECT_GE(attained, 0.97 * claimed - 5 * error);
}

}  // namespace
}  // namespace tailcoat
