#include "tailcoat/engine/minimiser.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <variant>

#include "tailcoat/base/option.hpp"
#include "tailcoat/base/rounding.hpp"
#include "tailcoat/engine/dual_ascent.hpp"
#include "tailcoat/engine/engine.hpp"
#include "tailcoat/engine/float_environment.hpp"
#include "tailcoat/engine/gradient_descent.hpp"
#include "tailcoat/engine/pass.hpp"
#include "tailcoat/privacy/sensitive_key.hpp"

namespace tailcoat {
namespace {

constexpr NumberOption kLipschitzOption{.name = "lipschitz",
                                        .meaning = "largest Lipschitz constant of a sample that takes part",
                                        .lowest = 0x1p-300,
                                        .highest = 0x1p300};
constexpr NumberOption kWeightOption{
    .name = "weight", .meaning = "weight of the squared distance from the centre", .lowest = 0, .highest = 0x1p300};

constexpr double kRoundoff = 0x1p-53;
// Covers second-order terms and the rounding of the bounds themselves.
constexpr double kSafety = 1.01;

double distance_up(std::span<const double> x, std::span<const double> y) {
  double squares = 0;
  for (std::size_t j = 0; j < x.size(); ++j) {
    const double away = std::max(std::abs(sub_up(x[j], y[j])), std::abs(sub_up(y[j], x[j])));
    squares = add_up(squares, mul_up(away, away));
  }
  return sqrt_up(squares);
}

double norm_up(std::span<const double> x) { return distance_up(x, std::vector<double>(x.size())); }

Result<void> check_minimisation(const Samples& samples, const Domain& domain, std::span<const double> centre,
                                const Minimisation& problem) {
  TAILCOAT_CHECK(check(kLipschitzOption, problem.lipschitz));
  TAILCOAT_CHECK(check(kWeightOption, problem.weight));
  if (!(problem.strong_convexity >= 0)) return usage_error("strong_convexity must not be negative");
  const double modulus = problem.weight + problem.strong_convexity;
  if (!(modulus * static_cast<double>(samples.size()) >= 0x1p-300 * problem.lipschitz && modulus >= 0x1p-300))
    return usage_error(
        fmt::format("weight + strong_convexity = {} leaves the minimiser undetermined; give more", modulus));
  if (samples.size() == 0) return data_error("the minimiser over 0 samples; give at least one");
  if (domain.dimension() != samples.dimension() || centre.size() != samples.dimension())
    return usage_error(fmt::format("samples of dimension {}, a domain of {} and a centre of {}; they must be the same",
                                   samples.dimension(), domain.dimension(), centre.size()));
  if (!(problem.share >= 1e-6 && problem.share <= 1))
    return usage_error(fmt::format("share = {} is not in [1e-6, 1]", problem.share));
  if (!domain.contains(centre, 1e-9 * domain.diameter()))
    return usage_error("the centre of a minimisation is not in the domain; project it first");
  if (!std::isfinite(domain.projection_error(0)))
    return refusal("a certified minimiser needs a domain whose projection is exact: a ball, a box or a simplex");
  return {};
}

Result<void> check_glm(const Loss& loss, const Minimisation& problem) {
  TAILCOAT_CHECK(check_loss(loss));
  if (problem.strong_convexity > 0)
    return refusal(fmt::format("strong-convexity = {} cannot hold: no function of one margin is strongly convex",
                               problem.strong_convexity));
  if (!(problem.envelope >= 0x1p-300))
    return usage_error(fmt::format("envelope = {} is not above 0", problem.envelope));
  return {};
}

Result<void> check_functions(const SampleFunctions& functions, const Domain& domain, const Minimisation& problem) {
  if (!functions.gradient) return usage_error("the gradient of a sample is an empty function");
  TAILCOAT_CHECK(check(kGradientErrorOption, functions.gradient_error));
  if (problem.steep == SteepSamples::clip)
    return refusal(
        "clipping the gradients of a loss that is no GLM gives no convex function (Appendix C of the paper)");
  if (std::isfinite(problem.envelope)) return usage_error("envelopes are for GLMs only");
  if (!std::isfinite(problem.smoothness))
    return refusal("a certified minimiser of a loss of the user's own needs it to be smooth: state its smoothness");
  if (problem.strong_convexity * domain.radius() > problem.lipschitz)
    return refusal(
        fmt::format("lipschitz = {} is below strong-convexity times the radius of the domain, {}: what "
                    "stands in for samples left out is that steep",
                    problem.lipschitz, problem.strong_convexity * domain.radius()));
  return {};
}

// 2 L / (modulus n) + 2 distance; and two points of the domain are no further apart than its diameter.
double sensitivity_of(const Minimisation& problem, const Domain& domain, std::size_t rows, double distance) {
  const double modulus = add_down(problem.weight, problem.strong_convexity);
  const double exact = div_up(mul_up(2, problem.lipschitz), mul_down(modulus, static_cast<double>(rows)));
  const double moved = add_up(exact, mul_up(2, distance));
  if (domain.diameter() == 0) return moved;  // nothing can move, but a lattice needs a unit
  return std::min(moved, domain.diameter() + 2 * domain.projection_error(domain.radius()));
}

}  // namespace

MinimiserTolerance minimiser_tolerance(const Minimisation& problem, const Domain& domain, const Loss& loss,
                                       std::size_t rows, double longest_tilt) {
  const auto n = static_cast<double>(rows), d = static_cast<double>(domain.dimension());
  const double size = norm_up(domain.centre()) + domain.radius();
  const double pull = problem.lipschitz / (problem.weight * n);  // how far one sample may move the minimiser
  const bool poisson = std::holds_alternative<PoissonLoss>(loss);

  MinimiserTolerance t{};
  t.slope_error = poisson ? 0x1p-41 : 0x1p-49;
  t.point_error =
      kSafety * ((t.slope_error + 8 * kRoundoff) * n * pull + 4 * kRoundoff * (size + longest_tilt / problem.weight) +
                 domain.projection_error(domain.radius()));
  t.margin_error = kSafety * (t.point_error + 2 * (d + 16) * kRoundoff * size);
  t.anchor_error = kSafety * ((t.slope_error + 8 * kRoundoff) * pull + 8 * kRoundoff * size);
  const double envelope_error = 8 * kRoundoff * problem.lipschitz * (pull + problem.lipschitz / problem.envelope);
  const double aim = 2 * problem.share * pull;
  const double errors = t.margin_error + t.anchor_error;  // what may remain where the exact gap is 0
  const double with_kinks = 8 * problem.lipschitz * errors;
  const double smooth = 16 * (problem.envelope * errors + t.slope_error * problem.lipschitz) * errors;
  const double least = std::min(with_kinks, smooth) + envelope_error;
  const double gap = std::max(problem.weight * aim * aim, 2 * least);
  t.gap = gap - envelope_error;
  t.distance = kSafety * (std::sqrt(gap / problem.weight) + t.point_error);
  return t;
}

Result<SensitiveSum> Engine::minimiser(const Samples& samples, const Domain& domain, std::span<const double> centre,
                                       const Minimisation& problem, Gdp cost, const Tilt* tilt) try {
  TAILCOAT_CHECK(check_minimisation(samples, domain, centre, problem));
  TAILCOAT_CHECK(check_unweighted(samples, "a minimiser"));
  const double longest_tilt = tilt == nullptr ? 0 : tilt->longest;
  std::vector<double> x;
  double distance = 0;
  if (const Loss* any_loss = samples.glm_loss()) {
    TAILCOAT_CHECK(check_glm(*any_loss, problem));
    const MinimiserTolerance tolerance = minimiser_tolerance(problem, domain, *any_loss, samples.size(), longest_tilt);
    distance = tolerance.distance;
    // <tilt, x> + (weight / 2) |x - centre|^2 is a square around another centre.
    std::vector<double> middle(centre.begin(), centre.end());
    if (tilt != nullptr) {
      const std::vector<double>& slope = SensitiveKey::open(tilt->slope);
      for (std::size_t j = 0; j < middle.size(); ++j) middle[j] -= slope[j] / problem.weight;
    }
    const auto& contents = SensitiveKey::open(samples.data_->features_.contents_);
    const double* labels = SensitiveKey::open(samples.data_->labels_).data() + samples.first_;
    const DefaultFloatEnvironment environment;
    x = std::visit(
        [&]<class L, class T>(const L& loss, const RowsOf<T>& all_rows) {
          const LabelledRows<T> data{part_of(all_rows, samples.first_, samples.first_ + samples.count_), labels,
                                     contents.inverse_norms.data() + samples.first_};
          return DualAscent<L, T>(loss, data, domain, middle, problem, tolerance)(*workers_);
        },
        *any_loss, contents.features);
  } else {
    if (tilt != nullptr) return usage_error("tilts are for GLMs only");
    TAILCOAT_CHECK(check_functions(*samples.functions(), domain, problem));
    GradientDescent descent(*samples.functions(), {samples.first_, samples.count_}, domain, centre, problem, *workers_);
    distance = descent.tolerance();
    TAILCOAT_TRY(found, descent.minimiser());
    x = std::move(found);
  }
  // The objective has slopes of at most lipschitz + |tilt| at the centre, so its minimiser is not far.
  const double modulus = problem.weight + problem.strong_convexity;
  const double furthest = std::min(2 * (domain.radius() + domain.projection_error(domain.radius())),
                                   kSafety * (problem.lipschitz + longest_tilt) / modulus + distance);
  const double sensitivity = tilt == nullptr ? sensitivity_of(problem, domain, samples.size(), distance)
                                             : mul_up(2, add_up(distance, div_up(tilt->rounding, problem.weight)));
  return point_on_lattice(x, centre, sensitivity, furthest, cost);
} catch (...) {
  return error_of(std::current_exception());
}

}  // namespace tailcoat
