#include "tailcoat/engine/gradient_descent.hpp"

#include <algorithm>
#include <cmath>

#include "tailcoat/engine/dual_ascent.hpp"
#include "tailcoat/engine/float_environment.hpp"

namespace tailcoat {
namespace {

constexpr double kRoundoff = 0x1p-53;
constexpr double kGradientError = 0x1p-34;  // of a gradient of the user's, relative to the Lipschitz constant, at least
constexpr std::size_t kChunk = 256;         // samples whose gradients are added up by one thread

double norm(std::span<const double> x) {
  double squares = 0;
  for (const double part : x) squares += part * part;
  return std::sqrt(squares);
}

}  // namespace

GradientDescent::GradientDescent(const SampleFunctions& functions, Range range, const Domain& domain,
                                 std::span<const double> centre, const Minimisation& problem, Workers& workers)
    : sample_gradient_(functions.gradient),
      range_(range),
      domain_(domain),
      centre_(centre),
      problem_(problem),
      workers_(workers),
      modulus_(problem.weight + problem.strong_convexity),
      step_(1 / (std::max(problem.smoothness, problem.strong_convexity) + problem.weight)),
      takes_part_(range.count) {
  const double size = norm(domain.centre()) + domain.radius() + norm(centre);
  const auto d = static_cast<double>(domain.dimension());
  map_error_ = step_ * std::max(kGradientError, functions.gradient_error) * problem.lipschitz +
               8 * (d + 16) * kRoundoff * size + domain.projection_error(domain.radius());
  const double pull = problem.lipschitz / (modulus_ * static_cast<double>(range.count));
  tolerance_ = 1.01 * std::max(2 * problem.share * pull, 4 * map_error_ / (step_ * modulus_));
}

template <class Job>
Result<void> GradientDescent::for_each_sample(Job job) {
  const auto thrown =
      workers_.for_each_chunk(range_.count, kChunk, [&](std::size_t, std::size_t begin, std::size_t end) {
        std::vector<double> gradient(domain_.dimension());
        for (std::size_t i = begin; i < end; ++i) job(i, gradient);
      });
  if (thrown) return error_of(thrown);
  return {};
}

// |grad f(x_0)| + beta |x - x_0| bounds the slope everywhere: computed here, from the record and public numbers.
Result<void> GradientDescent::choose_samples() {
  TAILCOAT_CHECK(for_each_sample([&](std::size_t i, std::vector<double>& gradient) {
    std::ranges::fill(gradient, 0.0);
    sample_gradient_(range_.first + i, domain_.centre(), gradient);
    const DefaultFloatEnvironment environment;  // a callback may have changed it
    const double steepest = norm(gradient) * (1 + 0x1p-20) + problem_.smoothness * domain_.radius();
    takes_part_[i] = steepest <= problem_.lipschitz ? 1 : 0;
  }));
  left_out_ = static_cast<std::size_t>(std::ranges::count(takes_part_, 0));
  return {};
}

// Chunk by chunk, the chunks in their order: the same bits for any number of threads.
Result<std::vector<double>> GradientDescent::gradient(std::span<const double> x) {
  const std::size_t d = x.size(), chunks = (range_.count + kChunk - 1) / kChunk;
  std::vector<VectorSum> sums(chunks, VectorSum(d));
  TAILCOAT_CHECK(for_each_sample([&](std::size_t i, std::vector<double>& own) {
    if (takes_part_[i] == 0) return;
    std::ranges::fill(own, 0.0);
    sample_gradient_(range_.first + i, x, own);
    const DefaultFloatEnvironment environment;
    if (std::isfinite(norm(own))) sums[i / kChunk].add(own.data(), 1);
  }));
  VectorSum total(d);
  std::vector<double> result(d);
  for (const VectorSum& sum : sums) {
    for (std::size_t j = 0; j < d; ++j) result[j] = sum[j];
    total.add(result.data(), 1);
  }
  const double n = static_cast<double>(range_.count), out = static_cast<double>(left_out_) / n;
  for (std::size_t j = 0; j < d; ++j)
    result[j] = total[j] / n + out * problem_.strong_convexity * (x[j] - domain_.centre()[j]) +
                problem_.weight * (x[j] - centre_[j]);
  return result;
}

// Nesterov's method in the form whose points all stay in the domain, where alone the promises hold. `momentum` is the
// root of the inverse condition number; the error shrinks by 1 - momentum per step.
Result<std::vector<double>> GradientDescent::minimiser() {
  TAILCOAT_CHECK(choose_samples());
  const double momentum = std::sqrt(step_ * modulus_);
  const double enough = (tolerance_ / 1.001 * step_ * modulus_ - map_error_) / (1 - step_ * modulus_ + 0x1p-40);
  std::vector<double> x(domain_.centre().begin(), domain_.centre().end()), z = x, y = x, next = x;
  for (;;) {
    for (std::size_t j = 0; j < x.size(); ++j) y[j] = (x[j] + momentum * z[j]) / (1 + momentum);
    TAILCOAT_TRY(slope, gradient(y));
    double moved = 0;
    for (std::size_t j = 0; j < x.size(); ++j) next[j] = y[j] - step_ * slope[j];
    TAILCOAT_CHECK(domain_.project(next));
    for (std::size_t j = 0; j < x.size(); ++j) moved += (next[j] - y[j]) * (next[j] - y[j]);
    if (std::sqrt(moved) * (1 + 0x1p-20) <= enough) return next;

    for (std::size_t j = 0; j < x.size(); ++j)
      z[j] = (1 - momentum) * z[j] + momentum * y[j] - step_ / momentum * slope[j];
    TAILCOAT_CHECK(domain_.project(z));
    for (std::size_t j = 0; j < x.size(); ++j) x[j] = (1 - momentum) * x[j] + momentum * z[j];
  }
}

}  // namespace tailcoat
