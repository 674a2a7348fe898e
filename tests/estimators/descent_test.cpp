#include "tailcoat/estimators/descent.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace tailcoat {
namespace {

constexpr std::size_t kRows = 20000;

// y = 2 - x1 + 0.5 x2 + noise of 0.5 on standard normal rows with a constant.
struct Linear {
  std::vector<double> rows, labels;
  static constexpr double kTruth[] = {-1, 0.5, 2};

  explicit Linear(std::uint64_t seed, double noise = 0.5) {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> normal;
    for (std::size_t i = 0; i < kRows; ++i) {
      const double a = normal(random), b = normal(random);
      rows.insert(rows.end(), {a, b, 1});
      labels.push_back(2 - a + 0.5 * b + noise * normal(random));
    }
  }
};

struct Descended {
  Result<Descent> descent;
  Receipt receipt;
};

Descended descended(
    const Linear& linear, const Loss& loss, double mu, const DescentRules& rules = {},
    const std::function<bool()>& tick = [] { return true; }, std::uint64_t seed = 3, double curvature = 1) {
  Engine engine(1);
  BitSource noise = BitSource::insecure_seeded(seed);
  auto meter = PrivacyMeter::open(Gdp{mu});
  if (!meter) stop_at(meter.error());
  auto data = engine.load(RowsOf<double>{linear.rows.data(), kRows, 3, 3}, linear.labels);
  if (!data) stop_at(data.error());
  const DescentBudget budget{.gradients = meter->share(0.9), .clips = meter->share(0.1)};
  const DescentStart start{
      .x = {0, 0, std::log(curvature)}, .curvature = curvature, .labelled = kRows, .mean_row = {0, 0, 1}};
  auto found = descend({engine, noise}, {*meter, noise}, *data, loss, start, budget, rules, tick);
  return {std::move(found), meter->receipt()};
}

TEST(Descent, RecoversALinearModel) {
  const Linear linear(1);
  for (const Loss& loss : {Loss{SquaredLoss{}}, Loss{HuberLoss{}}, Loss{AbsoluteLoss{}}, Loss{QuantileLoss{0.5}}}) {
    const Descended run = descended(linear, loss, 1000);
    ASSERT_TRUE(run.descent.ok()) << run.descent.error().message;
    for (std::size_t j = 0; j < 3; ++j) EXPECT_NEAR(run.descent->x[j], Linear::kTruth[j], 0.03) << loss_name(loss);
    EXPECT_GT(run.descent->clip, 0);
    EXPECT_LT(run.descent->clipped_share, 0.5);
  }
}

TEST(Descent, FindsTheScaleOfHuberAndTheCurvatureOfKinks) {
  const Linear linear(2);
  const Descended huber = descended(linear, HuberLoss{1.345}, 1000);
  ASSERT_TRUE(huber.descent.ok());
  const double delta = std::get<HuberLoss>(huber.descent->loss).delta;
  EXPECT_GT(delta, 0.7 * 1.345 * 0.5);
  EXPECT_LT(delta, 1.6 * 1.345 * 0.5);
  // The density of N(0, 0.5^2) at 0 is 0.798; |r| has twice of it as its slope.
  for (const auto& [loss, expected] : {std::pair{Loss{AbsoluteLoss{}}, 1.596}, {Loss{QuantileLoss{0.5}}, 0.798}}) {
    const Descended kinked = descended(linear, loss, 1000);
    ASSERT_TRUE(kinked.descent.ok());
    EXPECT_NEAR(kinked.descent->curvature / expected, 1, 0.35) << loss_name(loss);
  }
}

TEST(Descent, MeanSquareIsThatOfTheGradients) {
  const Descended run = descended(Linear(4), SquaredLoss{}, 1000);
  ASSERT_TRUE(run.descent.ok());
  // |r|^2 |a|^2 has mean 0.25 * 3.
  EXPECT_NEAR(run.descent->mean_square, 0.75, 0.25);
}

// One row of fifty is so far out that its residual is a hundred times as long as that of the others. Where the far ones
// lie on the line of another slope, a clip that follows the bulk would never learn of it; where they lie anywhere on
// one side, they are outliers.
Linear with_far_rows(double far_slope) {
  Linear linear(11);
  std::mt19937_64 random(12);
  for (std::size_t i = 0; i < kRows; i += 50)
    linear.labels[i] +=
        100 * (far_slope != 0 ? far_slope * linear.rows[3 * i] : 1 + std::exponential_distribution<double>()(random));
  return linear;
}

TEST(Descent, RowsThatTellOfSlopesAreNotCutForBeingFar) {
  const DescentRules rules{.steps = 24};
  const Descended run = descended(with_far_rows(1), SquaredLoss{}, 10, rules);
  ASSERT_TRUE(run.descent.ok());
  // Least squares: one row of fifty has a slope of 99 instead of -1.
  EXPECT_NEAR(run.descent->x[0], -1 + 100 / 50.0, 0.3);
  EXPECT_GT(run.descent->clip, 50);
  EXPECT_LT(run.descent->clipped_share, 0.01);
  EXPECT_EQ(run.descent->path.steps, rules.path().steps);
}

TEST(Descent, OutliersStayCut) {
  const DescentRules rules{.steps = 24};
  for (const double mu : {1.0, 10.0, 1000.0}) {
    const Descended run = descended(with_far_rows(0), SquaredLoss{}, mu, rules);
    ASSERT_TRUE(run.descent.ok());
    for (std::size_t j = 0; j < 3; ++j) EXPECT_NEAR(run.descent->x[j], Linear::kTruth[j], 0.3) << j << ' ' << mu;
    EXPECT_LT(run.descent->clip, 20);
    EXPECT_EQ(run.descent->noise.size(), rules.steps);
    // A gradient that was tried with the wide clip is charged as such, and its step not made.
    const bool tried = mu > 1;
    std::vector<double> steps = rules.path().steps;
    if (tried) steps[12] = 0;
    EXPECT_EQ(run.descent->path.steps, steps);
    EXPECT_EQ(run.descent->noise[12] > 2 * run.descent->noise[11], tried);
    for (const ReceiptLine& line : run.receipt.lines)
      EXPECT_LE(line.release.sensitivity / line.release.noise_scale, line.price.mu * (1 + 1e-6)) << line.release.what;
  }
}

TEST(Descent, NoiseIsWhatTheReceiptSays) {
  for (const double mu : {0.1, 3.0}) {
    DescentRules rules;
    rules.steps = 10;
    const Descended run = descended(Linear(5), SquaredLoss{}, mu, rules);
    ASSERT_TRUE(run.descent.ok());
    ASSERT_EQ(run.descent->noise.size(), rules.steps);
    std::vector<double> charged;
    double squares = 0;
    for (const ReceiptLine& line : run.receipt.lines) {
      squares += line.price.mu * line.price.mu;
      if (line.release.what.starts_with("gradient")) charged.push_back(line.release.noise_scale);
    }
    ASSERT_EQ(charged.size(), rules.steps);
    for (std::size_t t = 0; t < rules.steps; ++t)
      EXPECT_NEAR(run.descent->noise[t] * static_cast<double>(kRows) / charged[t], 1, 1e-9) << t;
    EXPECT_LT(run.descent->noise.back(), run.descent->noise[rules.steps / 2]);
    EXPECT_LE(run.receipt.gaussian_spent.mu, mu);
    EXPECT_NEAR(std::sqrt(squares), run.receipt.gaussian_spent.mu, 1e-9 * mu);
    EXPECT_GT(run.receipt.gaussian_spent.mu, 0.99 * mu);
  }
}

TEST(Descent, ResponsesAreThoseOfTheIterationItself) {
  const DescentRules rules{.steps = 12, .step = 0.4, .momentum = 0.25};
  for (const double curvature : {0.05, 0.3, 1.0}) {
    const std::vector<double> responses = gradient_responses(rules.path(), curvature);
    ASSERT_EQ(responses.size(), rules.steps);
    std::mt19937_64 random(6);
    std::normal_distribution<double> normal;
    for (int trial = 0; trial < 5; ++trial) {
      std::vector<double> errors(rules.steps);
      for (double& error : errors) error = normal(random);
      double x = 0, before = 0, expected = 0;  // on curvature x^2 / 2
      for (std::size_t t = 0; t < rules.steps; ++t) {
        const double ahead = x + rules.momentum * (x - before);
        before = x;
        x = ahead - std::min(0.4, 4.0 / (1.0 + static_cast<double>(t))) * (curvature * ahead + errors[t]);
        expected += responses[t] * errors[t];
      }
      EXPECT_NEAR(x, expected, 1e-12);
    }
  }
}

// The last iterates of many runs that differ by noise alone spread as noise and responses say.
TEST(Descent, TheSpreadOfTheResultIsPredicted) {
  const Linear linear(7);
  const DescentRules rules;
  double sum = 0, predicted = 0;
  const int runs = 40;
  const Descended exact = descended(linear, SquaredLoss{}, 1000);
  ASSERT_TRUE(exact.descent.ok());
  for (int k = 0; k < runs; ++k) {
    const Descended run = descended(
        linear, SquaredLoss{}, 0.3, rules, [] { return true; }, 100 + k);
    ASSERT_TRUE(run.descent.ok());
    for (std::size_t j = 0; j < 3; ++j) sum += std::pow(run.descent->x[j] - exact.descent->x[j], 2);
    const std::vector<double> responses = gradient_responses(rules.path(), 1);
    for (std::size_t t = 0; t < rules.steps; ++t) predicted += 3 * std::pow(responses[t] * run.descent->noise[t], 2);
  }
  EXPECT_NEAR(std::sqrt(sum / predicted), 1, 0.3);  // 120 squares: a deviation of 0.065, and a little bias of clips
}

// Where the mean count is, curvature is that of the constant model; at the end it is five times as much, and steps of
// half its inverse would go too far each time.
TEST(Descent, StepsThatGoTooFarAreShortened) {
  Linear counts(9);
  std::mt19937_64 random(10);
  double mean = 0;
  for (std::size_t i = 0; i < kRows; ++i) {
    const double margin = 2 * counts.rows[3 * i] - 1;
    counts.labels[i] = std::poisson_distribution<int>(std::exp(margin))(random);
    mean += counts.labels[i] / static_cast<double>(kRows);
  }
  const DescentRules rules{.steps = 24};
  const Descended run = descended(
      counts, PoissonLoss{}, 1000, rules, [] { return true; }, 3, mean);
  ASSERT_TRUE(run.descent.ok()) << run.descent.error().message;
  double gain = 0;  // over the constant model
  for (std::size_t i = 0; i < kRows; ++i) {
    const double* row = &counts.rows[3 * i];
    const double margin = row[0] * run.descent->x[0] + row[1] * run.descent->x[1] + run.descent->x[2];
    gain += PoissonLoss{}.value(std::log(mean), counts.labels[i]) - PoissonLoss{}.value(margin, counts.labels[i]);
  }
  EXPECT_GT(gain / static_cast<double>(kRows), mean) << "the truth gains 2 mean";
  const std::vector<double>& steps = run.descent->path.steps;
  ASSERT_EQ(steps.size(), rules.steps);
  EXPECT_EQ(steps[0], rules.step_at(0));
  EXPECT_LT(steps.back(), 0.9 * rules.step_at(rules.steps - 1));
  const Descended straight = descended(Linear(9), SquaredLoss{}, 1000, rules);
  ASSERT_TRUE(straight.descent.ok());
  EXPECT_EQ(straight.descent->path.steps, rules.path().steps) << "curvature of squared loss stays what it is";
}

// Four rows of five lie on the plane, one of five is what there is to learn: its residuals are no outliers.
TEST(Descent, EasyRowsDoNotMakeTheOthersOutliers) {
  Linear mixed(11, 0.001);
  std::mt19937_64 random(12);
  std::normal_distribution<double> normal;
  for (std::size_t i = 0; i < kRows; i += 5) mixed.labels[i] += normal(random);
  const Descended run = descended(mixed, SquaredLoss{}, 1000);
  ASSERT_TRUE(run.descent.ok()) << run.descent.error().message;
  EXPECT_GT(run.descent->clip, 1);
  EXPECT_LT(run.descent->clipped_share, 0.02);
}

TEST(Descent, StopsWhenAsked) {
  int calls = 0;
  const Descended run = descended(Linear(8), SquaredLoss{}, 1, {}, [&] { return ++calls < 4; });
  ASSERT_FALSE(run.descent.ok());
  EXPECT_EQ(calls, 4);
  EXPECT_NE(run.descent.error().message.find("stopped"), std::string::npos);
}

}  // namespace
}  // namespace tailcoat
