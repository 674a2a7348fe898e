#include "tailcoat/engine/guarded_pass.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <variant>

#include "tailcoat/base/rounding.hpp"
#include "tailcoat/engine/engine.hpp"
#include "tailcoat/engine/float_environment.hpp"
#include "tailcoat/engine/sample_gradients.hpp"
#include "tailcoat/engine/walk.hpp"
#include "tailcoat/privacy/sensitive_key.hpp"

namespace tailcoat {
namespace {

constexpr NumberOption kLongestOption{
    .name = "longest", .meaning = "largest norm of a plain gradient", .lowest = 0x1p-900, .highest = 0x1p900};
constexpr NumberOption kSmoothnessOption{.name = "smoothness",
                                         .meaning = "Lipschitz constant of the gradients of a sample",
                                         .lowest = 0,
                                         .highest = 0x1p300};
constexpr NumberOption kMostClippedOption{
    .name = "most-clipped", .meaning = "gradients that may be clipped in one pass", .lowest = 0, .highest = 0x1p50};

double slope_error(const Samples& samples) {
  const SampleFunctions* functions = samples.functions();
  return functions == nullptr ? kSlopeError : std::max(kSlopeError, functions->gradient_error);
}

Result<void> check_guarded(const Samples& samples, const Domain& domain, std::span<const double> start,
                           const GuardedPass& pass) {
  TAILCOAT_CHECK(check(kStepOption, pass.step));
  TAILCOAT_CHECK(check(kClipThresholdOption, pass.clip));
  TAILCOAT_CHECK(check(kLongestOption, pass.longest));
  TAILCOAT_CHECK(check(kSmoothnessOption, pass.smoothness));
  TAILCOAT_CHECK(check(kMostClippedOption, pass.most_clipped));
  if (pass.longest < pass.clip)
    return usage_error(fmt::format("longest = {} is below the clip threshold {}", pass.longest, pass.clip));
  if (!(mul_up(pass.step, pass.smoothness) <= 1))
    return refusal(fmt::format("step times smoothness is {:.6g}, which must not exceed 1: take steps of at most {:.6g}",
                               pass.step * pass.smoothness, 1 / pass.smoothness));
  if (const SampleFunctions* functions = samples.functions()) {
    if (!functions->gradient) return usage_error("the gradient of a sample is an empty function");
    TAILCOAT_CHECK(check(kGradientErrorOption, functions->gradient_error));
  }
  return check_walk(samples, domain, start);
}

Result<void> check_smooth(const Loss& any_loss) {
  const double curvature = std::visit([](const auto& loss) { return loss.curvature_bound(); }, any_loss);
  if (std::isfinite(curvature)) return {};
  return refusal(fmt::format("gradient steps need a smooth loss: {} has no curvature bound; use implicit steps",
                             loss_name(any_loss)));
}

// The two limits of a pass, shrunk for float errors, and the guard that chooses between them.
class Limits {
 public:
  Limits(const GuardedPass& pass, std::size_t dimension, const Guard& guard)
      : clip_(shrunk_units(pass.clip, dimension, kClipSlack)),
        longest_(shrunk_units(pass.longest, dimension, kClipSlack)),
        guard_(guard) {}

  double operator()(double length) const {
    return guard_(Sensitive(std::min(length, 2 * longest_))) ? clip_ : longest_;
  }

 private:
  double clip_, longest_;
  const Guard& guard_;
};

// Whether a record takes part: a rule on the record and public numbers alone. Margins must not overflow.
bool takes_part(double curvature, double inverse_norm, double label, double smoothness, double size) {
  if (inverse_norm == 0 || !std::isfinite(label) || !(size <= 0x1p990 * inverse_norm)) return false;
  return curvature * (1 + 0x1p-20) <= smoothness * inverse_norm * inverse_norm;
}

template <class L, class T>
void walk_rows(const L& loss, const RowsOf<T>& rows, const double* labels, const double* inverse_norms,
               const GuardedPass& pass, double size, const Limits& limits, Walk& walk) {
  for (std::size_t i = 0; i < rows.rows; ++i) {
    const T* row = rows.data + i * rows.stride;
    if (!takes_part(loss.curvature_bound(), inverse_norms[i], labels[i], pass.smoothness, size)) {
      limits(0);  // the zero function; noise is drawn for it as for any other
      walk.stay();
      continue;
    }
    const double slope = loss.derivative(row_margin(row, walk.padded_x(), rows.columns), labels[i]);
    const double limit = limits(std::abs(slope) / inverse_norms[i]) * inverse_norms[i];
    const double alpha = clamped(slope, -limit, limit);
    walk.step<T>({row, -pass.step * alpha, row}, pass.step * std::abs(alpha) / inverse_norms[i] * (1 + 0x1p-20));
  }
}

void walk_samples(const SampleGradient& sample_gradient, std::size_t first, std::size_t count, double step,
                  const Limits& limits, Walk& walk) {
  AlignedVector gradient(padded(walk.x().size()));
  const std::span<double> vector(gradient.data(), walk.x().size());
  for (std::size_t i = 0; i < count; ++i) {
    std::ranges::fill(gradient, 0.0);
    sample_gradient(first + i, walk.x(), vector);
    const DefaultFloatEnvironment environment;  // a callback may have changed it
    const int exponent = scale_down(vector);
    double squares = 0;
    for (const double part : vector) squares += part * part;
    const double norm = std::sqrt(squares), limit = limits(std::ldexp(norm, exponent));
    const double scale = norm == 0 ? 0 : step * std::min(std::ldexp(1, exponent), limit / norm);
    walk.step<double>({vector.data(), -scale, vector.data()}, scale * norm * (1 + 0x1p-20));
  }
}

}  // namespace

GuardedDrift guarded_drift(const Samples& samples, const Domain& domain, const GuardedPass& pass) {
  const auto n = static_cast<double>(samples.size()), d = static_cast<double>(samples.dimension());
  const Geometry geometry(domain, pass.step * pass.longest);
  const double error = geometry.step_error(samples.dimension(), slope_error(samples));
  const double growth = std::exp(pass.most_clipped * pass.step * pass.smoothness / 4) * (1 + 0x1p-40);
  const double iterates =
      mul_up(growth, add_up(mul_up(2, mul_up(pass.step, pass.longest)), mul_up(2 * (1 + 0x1p-40), n * error)));
  const double length_error = 8 * (d + 16) * kRoundoff * (2 * pass.longest + pass.smoothness * geometry.size) +
                              4 * slope_error(samples) * pass.longest;
  return {.iterates = iterates, .lengths = add_up(mul_up(pass.smoothness, iterates), 2 * length_error)};
}

Result<SensitiveSum> Engine::guarded_average(const Samples& samples, const Domain& domain,
                                             std::span<const double> start, const GuardedPass& pass, const Guard& guard,
                                             Gdp cost) try {
  TAILCOAT_CHECK(check_guarded(samples, domain, start, pass));
  TAILCOAT_CHECK(check_unweighted(samples, "a guarded average"));
  const auto n = static_cast<double>(samples.size());
  const Geometry geometry(domain, pass.step * pass.longest);
  const Limits limits(pass, samples.dimension(), guard);
  Walk walk(domain, start, geometry);
  const DefaultFloatEnvironment environment;
  if (const Loss* any_loss = samples.glm_loss()) {
    TAILCOAT_CHECK(check_loss(*any_loss));
    TAILCOAT_CHECK(check_smooth(*any_loss));
    const auto& contents = SensitiveKey::open(samples.data_->features_.contents_);
    const double* labels = SensitiveKey::open(samples.data_->labels_).data() + samples.first_;
    const double* norms = contents.inverse_norms.data() + samples.first_;
    std::visit(
        [&]<class T>(const auto& loss, const RowsOf<T>& all_rows) {
          const RowsOf<T> rows{all_rows.data + samples.first_ * all_rows.stride, samples.size(), all_rows.columns,
                               all_rows.stride};
          walk_rows(loss, rows, labels, norms, pass, geometry.size, limits, walk);
        },
        *any_loss, contents.features);
  } else {
    walk_samples(samples.functions()->gradient, samples.first_, samples.size(), pass.step, limits, walk);
  }
  // The iterates before the sample that differs coincide: at most n - 1 of n are apart.
  const double sensitivity = add_up(mul_up(guarded_drift(samples, domain, pass).iterates, sub_up(1, div_down(1, n))),
                                    2 * geometry.summation_error(n));
  const double furthest = std::min(2 * geometry.radius, n * geometry.move) + sensitivity;
  return point_on_lattice(walk.average(samples.size()), start, sensitivity, furthest, cost);
} catch (...) {
  return error_of(std::current_exception());
}

}  // namespace tailcoat
