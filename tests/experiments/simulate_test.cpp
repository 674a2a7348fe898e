#include "experiments/simulate.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <variant>

#include "experiments/nonprivate.hpp"

namespace tailcoat::experiments {
namespace {

SimulationSpec spec_of(Kind kind, const char* tail, std::size_t features = 3) {
  return {.kind = kind,
          .tail = *parse_tail(tail),
          .features = features,
          .seed = 5,
          .rare_probability = 0.01,
          .rare_order = 3};
}

std::vector<SimulationSpec> all_specs() {
  std::vector<SimulationSpec> specs;
  for (const Kind kind : {Kind::mean, Kind::linear, Kind::absolute, Kind::logistic, Kind::smooth, Kind::hard})
    for (const char* tail : {"t:9", "pareto:9"}) specs.push_back(spec_of(kind, tail));
  return specs;
}

double loss_at(const Simulation& simulation, std::span<const double> row, double label, std::span<const double> x) {
  double margin = 0, square = 0;
  for (std::size_t j = 0; j < x.size(); ++j) {
    margin += row[j] * x[j];
    square += (row[j] - x[j]) * (row[j] - x[j]) / 2;
  }
  switch (simulation.spec().kind) {
    case Kind::mean:
      return square;
    case Kind::linear:
    case Kind::smooth:
      return SquaredLoss{}.value(margin, label);
    case Kind::absolute:
      return AbsoluteLoss{}.value(margin, label);
    case Kind::logistic:
      return LogisticLoss{}.value(margin, label);
    case Kind::hard:
      return margin;
  }
  return 0;
}

// The law of large numbers against formula and quadrature; 5 standard errors, so false alarms are below 1e-5.
TEST(Simulate, ExcessRiskIsThatOfTheSamples) {
  for (const SimulationSpec& spec : all_specs()) {
    const Simulation simulation = *Simulation::create(spec);
    const std::size_t n = 400000;
    const Sample sample = simulation.draw(n, 3);
    for (const std::vector<double>& x : {std::vector<double>{0, 0, 0}, {0.3, -0.5, 0.6}, {-0.7, 0.1, 0.2}}) {
      double sum = 0, squares = 0;
      for (std::size_t i = 0; i < n; ++i) {
        const std::span row = std::span(sample.rows).subspan(3 * i, 3);
        const double excess = loss_at(simulation, row, sample.labels[i], x) -
                              loss_at(simulation, row, sample.labels[i], simulation.optimum());
        sum += excess;
        squares += excess * excess;
      }
      const double mean = sum / static_cast<double>(n);
      const double error = std::sqrt((squares / static_cast<double>(n) - mean * mean) / static_cast<double>(n));
      EXPECT_NEAR(simulation.excess(x), mean, 5 * error) << kind_name(spec.kind) << ' ' << tail_name(spec.tail);
      EXPECT_GT(simulation.excess(x), 0);
    }
    EXPECT_NEAR(simulation.excess(simulation.optimum()), 0, 1e-12) << kind_name(spec.kind);
  }
}

// The largest gradient norm of a sample over the ball, whose features have that norm, with the constant 1 or without.
double lipschitz_of(Kind kind, double norm, double label, bool with_constant) {
  if (kind == Kind::mean) return norm + 1;
  const double length = std::sqrt(norm * norm + (with_constant ? 1 : 0));
  return kind == Kind::linear || kind == Kind::smooth ? length * (length + std::abs(label)) : length;
}

void expect_moments_above(const Simulation& simulation, bool with_constant) {
  const std::size_t n = 400000;
  const SimulationSpec& spec = simulation.spec();
  const Sample sample = simulation.draw(n, 4);
  const Moments moments = *simulation.moments(3, with_constant);
  double second = 0, third = 0, sixth = 0;
  for (std::size_t i = 0; i < n; ++i) {
    double square = 0;
    for (std::size_t j = 0; j < 3; ++j) square += sample.rows[3 * i + j] * sample.rows[3 * i + j];
    if (spec.kind == Kind::smooth) {
      EXPECT_LE(square, simulation.smoothness());
    }
    const double lipschitz = lipschitz_of(spec.kind, std::sqrt(square), sample.labels[i], with_constant);
    second += lipschitz * lipschitz / static_cast<double>(n);
    third += std::pow(lipschitz, 3) / static_cast<double>(n);
    sixth += std::pow(lipschitz, 6) / static_cast<double>(n);
  }
  const double slack = 5 * std::sqrt(sixth / static_cast<double>(n));
  EXPECT_LE(second, std::pow(moments.g2, 2) + slack) << kind_name(spec.kind);
  EXPECT_LE(third, std::pow(moments.gk, 3) + slack) << kind_name(spec.kind);
  EXPECT_GE(third, 0.25 * std::pow(moments.gk, 3)) << kind_name(spec.kind) << " wastes a moment";
  if (spec.kind == Kind::absolute) {
    EXPECT_NEAR(second, std::pow(moments.g2, 2), slack) << "exact";
    if (!with_constant) {
      EXPECT_NEAR(third, std::pow(moments.gk, 3), slack);
    }
  }
}

// sup over the ball of the gradient norm, sample by sample, against G_2 and G_k: never above, and where the formula
// is exact equal. The moments without the constant 1 are not enough for rows with it.
TEST(Simulate, MomentsBoundTheLipschitzConstants) {
  for (const SimulationSpec& spec : all_specs()) {
    const Simulation simulation = *Simulation::create(spec);
    expect_moments_above(simulation, false);
    if (!has_label(spec.kind)) {
      EXPECT_FALSE(simulation.moments(3, true).ok()) << kind_name(spec.kind);
      continue;
    }
    expect_moments_above(simulation, true);
    EXPECT_GT(simulation.moments(3, true)->g2, 1.05 * simulation.moments(3)->g2) << kind_name(spec.kind);
  }
}

// What a plan is made from is what a run is given.
TEST(Simulate, TheSettingIsThatOfTheProblem) {
  Engine engine(1);
  for (const SimulationSpec& spec : all_specs()) {
    const Simulation simulation = *Simulation::create(spec);
    const Moments moments = *simulation.moments(2);
    const auto instance = simulation.instance(engine, 100, 1);
    const Setting planned = simulation.setting(100, moments), run = setting_of(*(*instance)->problem, moments);
    EXPECT_EQ(planned.generalised_linear, run.generalised_linear) << kind_name(spec.kind);
    EXPECT_EQ(planned.dimension, run.dimension);
    EXPECT_EQ(planned.diameter, run.diameter);
    EXPECT_EQ(planned.start_distance, run.start_distance);
    EXPECT_EQ(planned.smoothness, run.smoothness);
    EXPECT_EQ(planned.strong_convexity, run.strong_convexity);
    EXPECT_EQ(planned.given.gradient, run.given.gradient);
    EXPECT_EQ(planned.given.implicit_step, run.given.implicit_step);
    EXPECT_EQ(planned.given.step_error, run.given.step_error);
    EXPECT_EQ(planned.centre_size, run.centre_size);
  }
}

TEST(Simulate, RefusesMomentsThatDoNotExist) {
  EXPECT_TRUE(Simulation::create(spec_of(Kind::absolute, "t:3.5"))->moments(3).ok());
  EXPECT_FALSE(Simulation::create(spec_of(Kind::absolute, "t:3"))->moments(3).ok());
  EXPECT_TRUE(Simulation::create(spec_of(Kind::linear, "t:4.5"))->moments(2).ok());
  const auto refused = Simulation::create(spec_of(Kind::linear, "pareto:4"))->moments(2);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().kind, ErrorKind::refused);
  EXPECT_NE(refused.error().message.find("index above 4"), std::string::npos) << refused.error().message;
  EXPECT_FALSE(Simulation::create(spec_of(Kind::hard, "t:4"))->moments(4).ok());
}

TEST(Simulate, RefusesBadSpecifications) {
  for (const char* text : {"", "t", "t:", "t:x", "gauss:3", "t:1", "t:nan", "pareto:inf", "t:3 ", ":3", "t:1e9"})
    EXPECT_FALSE(parse_tail(text).ok()) << text;
  EXPECT_FALSE(parse_kind("cubic").ok());
  EXPECT_FALSE(Simulation::create(spec_of(Kind::mean, "t:4", 0)).ok());
  for (const double p : {0.0, -1.0, 1.5, std::nan("")}) {
    SimulationSpec spec = spec_of(Kind::hard, "t:4");
    spec.rare_probability = p;
    EXPECT_FALSE(Simulation::create(spec).ok()) << p;
  }
}

TEST(Simulate, SameSeedSameBits) {
  const Simulation simulation = *Simulation::create(spec_of(Kind::absolute, "t:4"));
  EXPECT_EQ(simulation.draw(100, 1).rows, simulation.draw(100, 1).rows);
  EXPECT_NE(simulation.draw(100, 1).rows, simulation.draw(100, 2).rows);
  const Sample more = simulation.draw(200, 1);
  EXPECT_TRUE(std::equal(more.rows.begin(), more.rows.begin() + 300, simulation.draw(100, 1).rows.begin()));
}

// An implicit step of the mean minimises what it should, and stays in the domain.
TEST(Simulate, MeanStepsAreProximal) {
  Engine engine(1);
  const Simulation simulation = *Simulation::create(spec_of(Kind::mean, "t:4"));
  const auto instance = *simulation.instance(engine, 50, 1);
  const SampleFunctions& f = *instance->problem->samples.functions();
  const std::vector<double> x{0.1, 0.2, -0.3};
  for (std::size_t i = 0; i < 50; ++i) {
    for (const double step : {1e-3, 0.5, 100.0}) {
      std::vector<double> y(3), gradient(3);
      f.implicit_step(i, x, step, y);
      EXPECT_TRUE(simulation.domain().contains(y, 1e-12));
      f.gradient(i, y, gradient);
      double inward = 0, residual = 0, norm = 0;
      for (std::size_t j = 0; j < 3; ++j) {
        const double stationary = gradient[j] + (y[j] - x[j]) / step;
        residual += stationary * stationary;
        inward += stationary * y[j];
        norm += y[j] * y[j];
      }
      // Zero inside; on the sphere it points straight in.
      const double scale = 1 + 1 / step;
      if (norm < 1 - 1e-9) {
        EXPECT_LT(std::sqrt(residual), 1e-12 * scale);
      } else {
        EXPECT_NEAR(inward, -std::sqrt(residual), 1e-9 * scale);
      }
    }
  }
}

TEST(Simulate, NonprivateFitsApproachTheOptimum) {
  for (const SimulationSpec& spec : all_specs()) {
    const Simulation simulation = *Simulation::create(spec);
    const Sample sample = simulation.draw(40000, 8);
    const double excess = simulation.excess(nonprivate_fit(simulation, sample));
    EXPECT_LT(excess, spec.kind == Kind::hard ? 1e-12 : 1e-3) << kind_name(spec.kind);
    EXPECT_GE(excess, -1e-12);
  }
}

}  // namespace
}  // namespace tailcoat::experiments
