#include "experiments/counterexamples.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "experiments/generator.hpp"
#include "experiments/statistics.hpp"
#include "experiments/table.hpp"

namespace tailcoat::experiments {
namespace {

using Pair = std::array<double, 2>;  // a point of the plane

Pair operator-(Pair a, Pair b) { return {a[0] - b[0], a[1] - b[1]}; }
double norm(Pair a) { return std::hypot(a[0], a[1]); }
Pair scaled(Pair a, double factor) { return {a[0] * factor, a[1] * factor}; }
Pair clipped(Pair a) { return scaled(a, norm(a) > 1 ? 1 / norm(a) : 1); }

// A x for the symmetric A = Q diag(1, low) Q^T, Q a rotation: the gradient of a 1-smooth quadratic.
struct Quadratic {
  double cosine, sine, low;

  [[nodiscard]] Pair gradient(Pair x) const {
    const double along = cosine * x[0] + sine * x[1], across = low * (cosine * x[1] - sine * x[0]);
    return {cosine * along - sine * across, sine * along + cosine * across};
  }
  // (1 + length A)^-1 x: the implicit step of that length.
  [[nodiscard]] Pair implicit(Pair x, double length) const {
    const double along = (cosine * x[0] + sine * x[1]) / (1 + length);
    const double across = (cosine * x[1] - sine * x[0]) / (1 + length * low);
    return {cosine * along - sine * across, sine * along + cosine * across};
  }
};

// The implicit step of length 1 of the quadratic made 1-Lipschitz: a longer step, scaled back to a movement of 1.
Pair clipped_implicit(const Quadratic& f, Pair x) {
  if (const Pair y = f.implicit(x, 1); norm(x - y) <= 1) return y;
  double low = 1, high = 1e9;
  for (int i = 0; i < 100; ++i) {
    const double length = std::sqrt(low * high);
    (norm(x - f.implicit(x, length)) > length ? low : high) = length;
  }
  return x - scaled(x - f.implicit(x, high), 1 / high);
}

Pair step(StepKind kind, const Quadratic& f, Pair x) {
  return kind == StepKind::implicit_quadratic ? clipped_implicit(f, x) : x - clipped(f.gradient(x));
}

constexpr double kTail = 3, kOrder = 2;  // norms with index 3, clipped with k = 2 in mind

// Mean and mean square of the clip bias of a sample, L Pareto with E L^2 = 3.
struct Bias {
  double squared_mean, mean_square;
};
Bias clip_biases(std::uint64_t n, double clip, std::uint64_t repeats, std::uint64_t seed) {
  Generator random(seed);
  double sum = 0, squares = 0;
  for (std::uint64_t r = 0; r < repeats; ++r) {
    double bias = 0;
    for (std::uint64_t i = 0; i < n; ++i) {
      const double length = portable_exp(-portable_log(random.uniform()) / kTail);
      if (length > clip) bias += (length - clip) / static_cast<double>(n);
    }
    sum += bias / static_cast<double>(repeats);
    squares += bias * bias / static_cast<double>(repeats);
  }
  return {sum * sum, squares};
}

Json expansions(std::string& text) {
  TextTable table({"Appendix B: distance C", "unclipped / C", "clipped / C"});
  Json rows = Json::array();
  for (const double distance : {0.1, 0.5, 1.0, 2.0, 5.0, 10.0, 100.0}) {
    const auto [before, after] = appendix_b_pair(distance);
    table.add({figures(distance), fmt::format("{:.6f}", before), fmt::format("{:.6f}", after)});
    rows.push_back({{"distance", distance}, {"unclipped", before}, {"clipped", after}});
  }
  text += table.text();
  return rows;
}

Json searches(const StudyContext& context, std::string& text) {
  const std::uint64_t trials = context.quick ? 200'000 : 5'000'000;
  TextTable table({"largest expansion of one step found", "factor"});
  Json rows;
  for (const auto& [kind, key, name] :
       {std::tuple{StepKind::clipped_quadratic, "clipped_quadratic", "clipped gradient step, quadratics"},
        std::tuple{StepKind::clipped_glm, "clipped_glm", "clipped gradient step, GLMs"},
        std::tuple{StepKind::implicit_quadratic, "implicit_quadratic", "clipped implicit step, quadratics"}}) {
    const double factor = largest_expansion(kind, trials, seed_of(key, {context.seed}));
    table.add({name, fmt::format("{:.6f}", factor)});
    rows[key] = factor;
  }
  text += '\n' + table.text();
  return rows;
}

std::vector<std::uint64_t> sizes(const StudyContext& context) {
  return context.quick ? std::vector<std::uint64_t>{10, 30, 100, 300, 1000}
                       : std::vector<std::uint64_t>{10, 30, 100, 300, 1000, 3000, 10000};
}

Json suprema(const StudyContext& context, std::string& text, Chart& chart) {
  TextTable table({"Appendix C: n", "sup over sets, squared", "one set, squared", "1/n"});
  Json rows = Json::array();
  for (const std::uint64_t n : sizes(context)) {
    const auto at = static_cast<double>(n);
    const auto [supremum, single] = appendix_c_means(n, context.quick ? 200 : 1000, seed_of("c", {context.seed, n}));
    table.add({fmt::format("{}", n), figures(supremum), figures(single), figures(1 / at)});
    rows.push_back({{"n", n}, {"supremum_squared", supremum}, {"single_squared", single}});
    chart.series[0].points.push_back({at, supremum});
    chart.series[1].points.push_back({at, single});
    chart.series[2].points.push_back({at, 1 / at});
  }
  text += '\n' + table.text();
  return rows;
}

Json biases(const StudyContext& context, std::string& text, Chart& chart) {
  TextTable table({"clip bias b_D: n", "clip C", "(E b)^2", "E b^2", "E b^2 / (E b)^2"});
  Json rows = Json::array();
  for (const std::uint64_t n : sizes(context)) {
    const auto at = static_cast<double>(n);
    const double clip = std::pow(at, 1 / kOrder);
    const auto [squared_mean, mean_square] =
        clip_biases(n, clip, context.quick ? 20'000'000 / n : 200'000'000 / n, seed_of("bias", {context.seed, n}));
    table.add({fmt::format("{}", n), figures(clip), figures(squared_mean), figures(mean_square),
               figures(mean_square / squared_mean)});
    rows.push_back({{"n", n}, {"clip", clip}, {"squared_mean", squared_mean}, {"mean_square", mean_square}});
    chart.series[0].points.push_back({at, mean_square});
    chart.series[1].points.push_back({at, squared_mean});
  }
  text += '\n' + table.text();
  return rows;
}

Chart supremum_chart() {
  return {.title = "Appendix C: a mean that does not get small everywhere",
          .subtitle = "functions 1{s in x} - |x|/n², x any set of n of n² points",
          .x = {"sample size n"},
          .y = {"mean of the square"},
          .series = {{"supremum over all sets", {}, Mark::line_points, 1},
                     {"one fixed set", {}, Mark::line_points, 0},
                     {"1/n", {}, Mark::dotted, 7}}};
}

Chart bias_chart() {
  return {.title = "The squared bias of clipping is not the square of the bias",
          .subtitle = "Pareto norms of index 3, clipped at n^(1/2)",
          .x = {"sample size n"},
          .y = {"squared clip bias"},
          .series = {{"E b²", {}, Mark::line_points, 1}, {"(E b)²", {}, Mark::line_points, 0}}};
}

}  // namespace

Expansion appendix_b_pair(double distance) {
  const double c = distance, root = std::sqrt(2 * c + 1);
  const Pair v{-c, 0}, g{1, 0}, h{(2 * c + 1) / (c + 1), c * root / (c + 1)};
  return {norm(v - (g - h)) / c, norm(v - (clipped(g) - clipped(h))) / c};
}

double largest_expansion(StepKind kind, std::uint64_t trials, std::uint64_t seed) {
  Generator random(seed);
  double largest = 0;
  for (std::uint64_t i = 0; i < trials; ++i) {
    const Pair turn{random.normal(), random.normal()};
    // A GLM's Hessian has rank one.
    const Quadratic f{turn[0] / norm(turn), turn[1] / norm(turn), kind == StepKind::clipped_glm ? 0 : random.uniform()};
    const double size = portable_exp(2 * random.normal());
    const Pair x{size * random.normal(), size * random.normal()};
    const double apart = portable_exp(3 * random.normal());
    const Pair y = x - Pair{apart * random.normal(), apart * random.normal()};
    largest = std::max(largest, norm(step(kind, f, x) - step(kind, f, y)) / norm(x - y));
  }
  return largest;
}

SquaredMeans appendix_c_means(std::uint64_t n, std::uint64_t repeats, std::uint64_t seed) {
  Generator random(seed);
  SquaredMeans means{0, 0};
  const std::uint64_t points = n * n;
  const auto size = static_cast<double>(n), share = 1 / size;  // |x| / N for |x| = n
  for (std::uint64_t r = 0; r < repeats; ++r) {
    std::set<std::uint64_t> drawn;
    double in_fixed = 0;  // the fixed set: the first n points
    for (std::uint64_t i = 0; i < n; ++i) {
      const std::uint64_t s = random.word() % points;
      drawn.insert(s);
      in_fixed += s < n ? 1 : 0;
    }
    const double best = 1 - static_cast<double>(drawn.size()) / static_cast<double>(points);  // x = the sample itself
    const double fixed = in_fixed / size - share;
    means.supremum += best * best / static_cast<double>(repeats);
    means.single += fixed * fixed / static_cast<double>(repeats);
  }
  return means;
}

Result<Report> counterexamples(const StudyContext& context) {
  Report report;
  Chart supremum = supremum_chart(), bias = bias_chart();
  report.json = {{"schema", "tailcoat-experiment-counterexamples/1"}, {"quick", context.quick}, {"seed", context.seed}};
  report.json["appendix_b"] = expansions(report.table);
  context.progress(1, 4);
  report.json["largest_expansion"] = searches(context, report.table);
  context.progress(2, 4);
  report.json["appendix_c"] = suprema(context, report.table, supremum);
  context.progress(3, 4);
  report.json["clip_bias"] = biases(context, report.table, bias);
  context.progress(4, 4);
  report.charts = {{"counterexamples-appendix-c", std::move(supremum)}, {"counterexamples-clip-bias", std::move(bias)}};
  return report;
}

}  // namespace tailcoat::experiments
