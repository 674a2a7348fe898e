#include "experiments/simulate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "tailcoat/losses/mean.hpp"

namespace tailcoat::experiments {
namespace {

constexpr double kRadius = 1;
constexpr double kSmoothNoise = 0.25;
constexpr std::array<std::pair<std::string_view, Kind>, 6> kKinds{{{"mean", Kind::mean},
                                                                   {"linear", Kind::linear},
                                                                   {"absolute", Kind::absolute},
                                                                   {"logistic", Kind::logistic},
                                                                   {"smooth", Kind::smooth},
                                                                   {"hard", Kind::hard}}};

double dot(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

double distance(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return std::sqrt(sum);
}

// The integral over r > 0, by the trapezoidal rule in log r. All our integrands are analytic there in a strip of half
// width pi/2 and fall off at both ends, so that the error is of the order of e^(-pi^2 / step).
template <class F>
double radial_integral(F&& integrand) {
  constexpr double kStep = 0.25, kFirst = -12, kLast = 45;
  double sum = 0;
  for (double s = kFirst; s <= kLast; s += kStep) sum += std::exp(s) * integrand(std::exp(s));
  return sum * kStep;
}

// log(1 + e^b) - log(1 + e^a) - (b - a) / (1 + e^-a): the divergence of the prediction b where a is true.
double logistic_divergence(double a, double b) {
  const auto softplus = [](double t) { return std::max(t, 0.0) + std::log1p(std::exp(-std::abs(t))); };
  return softplus(b) - softplus(a) - (b - a) / (1 + std::exp(-a));
}

// E of the divergence; only the plane of x* and x matters, in which the direction of a row is uniform.
double logistic_excess(const Tail& tail, std::span<const double> optimum, std::span<const double> x) {
  constexpr int kAngles = 128;
  const double norm = std::sqrt(dot(optimum, optimum));
  const double along = dot(x, optimum) / norm;
  const double across = std::sqrt(std::max(dot(x, x) - along * along, 0.0));
  return radial_integral([&](double r) {
    double sum = 0;
    for (int i = 0; i < kAngles; ++i) {
      const double angle = std::numbers::pi * (i + 0.5) / kAngles;
      const double cosine = r * std::cos(angle), sine = r * std::sin(angle);
      sum += logistic_divergence(norm * cosine, along * cosine + across * sine);
    }
    return planar_density(tail, r) * sum / kAngles;
  });
}

// E |<u, e>|^order for u uniform on the sphere.
double direction_moment(std::size_t dimension, double order) {
  using boost::math::lgamma;
  const double half = static_cast<double>(dimension) / 2;
  return std::exp(lgamma(half) + lgamma((order + 1) / 2) - lgamma(0.5) - lgamma(half + order / 2));
}

std::vector<double> draw_optimum(const SimulationSpec& spec) {
  std::vector<double> x(spec.features);
  Generator random(seed_of("optimum", {spec.seed}));
  for (double& coordinate : x) coordinate = random.normal();
  const double norm = std::sqrt(dot(x, x)), wanted = spec.kind == Kind::hard ? kRadius : 0.75 * kRadius;
  for (double& coordinate : x) coordinate *= wanted / norm;
  return x;
}

double mean_step_error(std::size_t features) {
  return 32 * std::numeric_limits<double>::epsilon() * kRadius * static_cast<double>(features);
}

// Mean estimation as a loss of the user's own, over rows that outlive it. The constrained proximal step of an isotropic
// quadratic is the projection of the unconstrained one.
Samples mean_samples(const Sample& sample, std::size_t features, const Domain& domain) {
  const auto row = [rows = std::span(sample.rows), features](std::size_t i) {
    return rows.subspan(i * features, features);
  };
  return {
      sample.labels.size(), features,
      SampleFunctions{.gradient = [row](std::size_t i, std::span<const double> x,
                                        std::span<double> gradient) { MeanLoss{}.gradient(x, row(i), gradient); },
                      .implicit_step =
                          [row, domain](std::size_t i, std::span<const double> x, double step, std::span<double> y) {
                            std::ranges::copy(x, y.begin());
                            MeanLoss{}.implicit_step(y, row(i), step);
                            if (!domain.project(y)) std::ranges::copy(x, y.begin());
                          },
                      .step_error = mean_step_error(features)}};
}

Loss glm_loss(Kind kind) {
  switch (kind) {
    case Kind::linear:
    case Kind::smooth:
      return SquaredLoss{};
    case Kind::absolute:
      return AbsoluteLoss{};
    case Kind::logistic:
      return LogisticLoss{};
    case Kind::mean:
    case Kind::hard:
      return LinearLoss{};
  }
  return LinearLoss{};
}

}  // namespace

Result<Kind> parse_kind(std::string_view name) {
  for (const auto& [known, kind] : kKinds)
    if (known == name) return kind;
  return usage_error(fmt::format("there is no kind '{}'; there are {}", name, kKindNames));
}

std::string_view kind_name(Kind kind) {
  return std::ranges::find(kKinds, kind, &std::pair<std::string_view, Kind>::second)->first;
}

bool has_label(Kind kind) { return kind != Kind::mean && kind != Kind::hard; }

Result<Simulation> Simulation::create(const SimulationSpec& spec) {
  if (spec.features == 0) return usage_error("features = 0; a simulated problem has at least one");
  if (spec.kind == Kind::hard) {
    if (!(spec.rare_probability > 0 && spec.rare_probability <= 1))
      return usage_error(fmt::format("the probability of a rare row is {}; give one in (0, 1]", spec.rare_probability));
    if (!(spec.rare_order >= 2)) return usage_error(fmt::format("the order k is {}; give 2 or more", spec.rare_order));
  }
  TAILCOAT_TRY(ball, Domain::ball(std::vector<double>(spec.features, 0.0), kRadius));
  return Simulation(spec, draw_optimum(spec), ball);
}

double Simulation::smoothness() const {
  constexpr double kAlmostNone = 1e-6;     // a linear loss is smooth with any constant
  constexpr double kRounding = 1 + 1e-12;  // makes a row of length sqrt(d) a little longer
  if (spec_.kind == Kind::mean) return 1;
  if (spec_.kind == Kind::smooth) return kRounding * static_cast<double>(spec_.features);
  return spec_.kind == Kind::hard ? kAlmostNone : std::numeric_limits<double>::infinity();
}

double Simulation::excess(std::span<const double> x) const {
  const double away = distance(x, optimum_);
  switch (spec_.kind) {
    case Kind::mean:
      return away * away / 2;
    case Kind::linear:
      return row_moment(spec_.tail, spec_.features, 2) / static_cast<double>(spec_.features) * away * away / 2;
    case Kind::smooth:
      return away * away / 2;
    case Kind::absolute:
      if (away == 0) return 0;
      return radial_integral(
          [&](double r) { return coordinate_density(spec_.tail, r) * noise_regret(spec_.tail, away * r); });
    case Kind::logistic:
      return away == 0 ? 0 : logistic_excess(spec_.tail, optimum_, x);
    case Kind::hard:
      return std::pow(spec_.rare_probability, 1 - 1 / spec_.rare_order) * (kRadius * kRadius - dot(optimum_, x));
  }
  return 0;
}

// (E L_s^order)^(1/order) for rows b = a, the features, or b = (a, 1). Minkowski's inequality bounds the norm of |b|^2
// = |a|^2 + 1, also in L_(order/2), for order >= 2.
double Simulation::lipschitz_moment(double order, bool with_constant) const {
  const auto root = [&](double moment) { return std::pow(moment, 1 / order); };
  const auto root_moment = [&](double power) { return root(row_moment(spec_.tail, spec_.features, power * order)); };
  const double one = with_constant ? 1 : 0, d = static_cast<double>(spec_.features);
  const double norm = std::sqrt(dot(optimum_, optimum_)), along = norm * root(direction_moment(spec_.features, order));
  switch (spec_.kind) {
    case Kind::absolute:
    case Kind::logistic:  // |b|
      return std::sqrt(root_moment(1) * root_moment(1) + one);
    case Kind::mean:  // L_s = |s| + radius, s = x* + row
      return kRadius + norm + root_moment(1);
    case Kind::linear:  // L_s = |b| (|b| radius + |<a, x*> + noise|), |b| |<a, x*>| <= (|a|^2 + |a|) |<a, x*>| / |a|
      return (root_moment(2) + one) * kRadius + along * (root_moment(2) + one * root_moment(1)) +
             std::sqrt(root_moment(1) * root_moment(1) + one) * root(noise_moment(spec_.tail, order));
    case Kind::smooth:  // the same for |a| = sqrt(d)
      return (d + one) * kRadius + std::sqrt((d + one) * d) * along +
             kSmoothNoise * std::sqrt(d + one) * root(noise_moment(spec_.tail, order));
    case Kind::hard:
      return std::pow(spec_.rare_probability, 1 / order - 1 / spec_.rare_order);
  }
  return 0;
}

Result<Moments> Simulation::moments(double order, bool with_constant) const {
  if (with_constant && !has_label(spec_.kind))
    return usage_error(fmt::format("kind {} has no label, and no intercept", kind_name(spec_.kind)));
  const double factor = spec_.kind == Kind::linear ? 2 : 1;
  if (spec_.kind != Kind::hard && !(factor * order < spec_.tail.index))
    return refusal(
        fmt::format("{} features have no moment of order {}, which {} needs for k = {}: give an index above {}",
                    tail_name(spec_.tail), factor * order, kind_name(spec_.kind), order, factor * order));
  if (spec_.kind == Kind::hard && order > spec_.rare_order)
    return refusal(fmt::format("the hard instance was made for k = {}, not {}", spec_.rare_order, order));
  const double g2 = lipschitz_moment(2, with_constant);
  return Moments{.k = order, .g2 = g2, .gk = std::max(lipschitz_moment(order, with_constant), g2)};
}

Setting Simulation::setting(std::size_t rows, const Moments& moments) const {
  const bool own_loss = spec_.kind == Kind::mean;
  return {.rows = rows,
          .dimension = spec_.features,
          .diameter = domain_.diameter(),
          .start_distance = domain_.radius(),
          .moments = moments,
          .smoothness = smoothness(),
          .strong_convexity = strong_convexity(),
          .generalised_linear = !own_loss,
          .given = own_loss ? GivenFunctions{.implicit_step = true, .step_error = mean_step_error(spec_.features)}
                            : GivenFunctions{}};
}

double Simulation::draw_next(Generator& random, std::span<double> row) const {
  if (spec_.kind == Kind::hard) {
    const bool rare = random.uniform() < spec_.rare_probability;
    const double length = rare ? portable_exp(-portable_log(spec_.rare_probability) / spec_.rare_order) : 0;
    for (std::size_t j = 0; j < row.size(); ++j) row[j] = -length * optimum_[j];
    return 0;
  }
  draw_row(spec_.tail, random, row);
  if (spec_.kind == Kind::smooth) {
    const double stretch = std::sqrt(static_cast<double>(row.size()) / dot(row, row));
    for (double& x : row) x *= stretch;
  }
  const double margin = dot(row, optimum_);
  switch (spec_.kind) {
    case Kind::smooth:
      return margin + kSmoothNoise * draw_noise(spec_.tail, random);
    case Kind::linear:
    case Kind::absolute:
      return margin + draw_noise(spec_.tail, random);
    case Kind::logistic:
      return random.uniform() * (1 + portable_exp(-margin)) < 1 ? 1 : -1;
    case Kind::mean:
      for (std::size_t j = 0; j < row.size(); ++j) row[j] += optimum_[j];
      return 0;
    case Kind::hard:
      return 0;
  }
  return 0;
}

Sample Simulation::draw(std::size_t rows, std::uint64_t seed) const {
  Sample sample{.rows = std::vector<double>(rows * spec_.features), .labels = std::vector<double>(rows)};
  Generator random = row_generator(seed);
  for (std::size_t i = 0; i < rows; ++i)
    sample.labels[i] = draw_next(random, std::span(sample.rows).subspan(i * spec_.features, spec_.features));
  return sample;
}

Result<std::unique_ptr<Instance>> Simulation::instance(Engine& engine, std::size_t rows, std::uint64_t seed) const {
  auto instance = std::make_unique<Instance>();
  instance->sample = draw(rows, seed);
  const Sample& sample = instance->sample;
  if (spec_.kind == Kind::mean) {
    instance->problem.emplace(Problem{.samples = mean_samples(sample, spec_.features, domain_), .domain = domain_});
  } else {
    const RowsOf<double> view{sample.rows.data(), rows, spec_.features, spec_.features};
    TAILCOAT_TRY(data, engine.load(view, sample.labels));
    instance->data.emplace(std::move(data));
    instance->problem.emplace(Problem{.samples = Samples(*instance->data, glm_loss(spec_.kind)), .domain = domain_});
  }
  instance->problem->smoothness = smoothness();
  instance->problem->strong_convexity = strong_convexity();
  return instance;
}

}  // namespace tailcoat::experiments
