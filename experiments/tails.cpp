#include "experiments/tails.hpp"

#include <fmt/format.h>

#include <boost/math/distributions/students_t.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <charconv>
#include <cmath>
#include <limits>
#include <numbers>

#include "tailcoat/base/option.hpp"

namespace tailcoat::experiments {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr NumberOption kIndexOption{
    .name = "index of the tail", .meaning = "moments of lower order are finite", .lowest = 1.1, .highest = 30};

double log_gamma(double x) { return boost::math::lgamma(x); }

// E |z|^order of a standard Gaussian vector.
double gaussian_moment(std::size_t dimension, double order) {
  const double half = static_cast<double>(dimension) / 2;
  return std::exp(order / 2 * std::numbers::ln2 + log_gamma(half + order / 2) - log_gamma(half));
}

// E scale^order.
double scale_moment(const Tail& tail, double order) {
  const double index = tail.index;
  if (order >= index) return kInfinity;
  if (tail.family == Tail::Family::pareto) return index / (index - order);
  return std::exp(order / 2 * std::log(index / 2) + log_gamma((index - order) / 2) - log_gamma(index / 2));
}

double draw_scale(const Tail& tail, Generator& random) {
  if (tail.family == Tail::Family::pareto) return portable_exp(-portable_log(random.uniform()) / tail.index);
  return std::sqrt(tail.index / (2 * random.gamma(tail.index / 2)));
}

}  // namespace

Result<Tail> parse_tail(std::string_view text) {
  const auto bad = [&] {
    return usage_error(fmt::format("tail '{}' is not t:NU or pareto:A, e.g. t:4 or pareto:2.5", text));
  };
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return bad();
  const std::string_view family = text.substr(0, colon), number = text.substr(colon + 1);
  Tail tail{.family = family == "pareto" ? Tail::Family::pareto : Tail::Family::student};
  if (family != "t" && family != "pareto") return bad();
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), tail.index);
  if (error != std::errc() || end != number.data() + number.size()) return bad();
  TAILCOAT_CHECK(check(kIndexOption, tail.index));
  return tail;
}

std::string tail_name(const Tail& tail) {
  return fmt::format("{}:{}", tail.family == Tail::Family::pareto ? "pareto" : "t", tail.index);
}

void draw_row(const Tail& tail, Generator& random, std::span<double> row) {
  const double scale = draw_scale(tail, random);
  for (double& x : row) x = scale * random.normal();
}

double draw_noise(const Tail& tail, Generator& random) {
  if (tail.family == Tail::Family::student) return draw_scale(tail, random) * random.normal();
  return random.sign() * (draw_scale(tail, random) - 1);
}

double row_moment(const Tail& tail, std::size_t dimension, double order) {
  return gaussian_moment(dimension, order) * scale_moment(tail, order);
}

double noise_moment(const Tail& tail, double order) {
  if (order >= tail.index) return kInfinity;
  if (tail.family == Tail::Family::student) return row_moment(tail, 1, order);
  return std::exp(log_gamma(1 + order) + log_gamma(tail.index - order) - log_gamma(tail.index));
}

// The Pareto ones: the mixture over the scale is an incomplete gamma function.
double coordinate_density(const Tail& tail, double r) {
  const double a = tail.index;
  if (tail.family == Tail::Family::student) return 2 * boost::math::pdf(boost::math::students_t(a), r);
  return 2 * a * std::sqrt(std::numbers::inv_pi / 2) * std::exp2((a - 1) / 2) * std::pow(r, -a - 1) *
         boost::math::tgamma_lower((a + 1) / 2, r * r / 2);
}

double planar_density(const Tail& tail, double r) {
  const double a = tail.index;
  if (tail.family == Tail::Family::student) return r * std::pow(1 + r * r / a, -(a + 2) / 2);
  return a * std::exp2(a / 2) * std::pow(r, -a - 1) * boost::math::tgamma_lower(a / 2 + 1, r * r / 2);
}

double noise_regret(const Tail& tail, double u) {
  const double a = tail.index;
  if (tail.family == Tail::Family::pareto) return u + std::expm1((1 - a) * std::log1p(u)) / (a - 1);
  const boost::math::students_t law(a);
  if (u > 1e8) return u - noise_moment(tail, 1);  // what follows cancels; the difference is O(u^(1 - nu))
  return u * (1 - 2 * boost::math::cdf(boost::math::complement(law, u))) +
         2 * (boost::math::pdf(law, u) * (a + u * u) - boost::math::pdf(law, 0.0) * a) / (a - 1);
}

}  // namespace tailcoat::experiments
