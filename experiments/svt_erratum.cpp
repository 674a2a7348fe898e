#include "experiments/svt_erratum.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <boost/math/quadrature/gauss.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>

#include "experiments/generator.hpp"
#include "experiments/statistics.hpp"
#include "experiments/table.hpp"

namespace tailcoat::experiments {
namespace {

constexpr double kConfidence = 0.999;

// Noise scales in units of the threshold's: the answers depend on nothing else, since all norms are C, 0 or huge.
double query_scale(const SvtInstance& instance, SvtForm form) {
  if (form == SvtForm::published) return 2;
  const double factors = 2 * std::ceil(1.5 * instance.clips);  // 2 c' Delta / e_b, e_a : e_b = 1 : (2 c')^(2/3)
  return std::cbrt(factors);
}

double noise_cut(const SvtInstance& instance) {
  return std::log(30 * static_cast<double>(instance.rows) / instance.delta);
}

double bounded_laplace(Generator& random, double scale, double cut) {
  for (;;) {
    const double x = scale * random.laplace();
    if (std::abs(x) <= cut) return x;
  }
}

// Lines of the pseudocode as they are, from the first gradient of norm C on; the huge ones before it all clip.
bool no_halt(const SvtInstance& instance, SvtForm form, SvtWorld world, Generator& random) {
  const double cut = noise_cut(instance), scale = query_scale(instance, form);
  const double c_hat = bounded_laplace(random, 3 / instance.epsilon, instance.clips / 2) + instance.headroom;
  double threshold = bounded_laplace(random, 1, cut);
  int count = 0;
  const auto query = [&](double norm) {  // less C
    if (norm + bounded_laplace(random, scale, scale * cut) < threshold) return;
    ++count;
    if (form == SvtForm::published) threshold = bounded_laplace(random, 1, cut);
  };
  const double huge = 1e9, record = world == SvtWorld::with_record ? huge : -huge;
  for (int j = 0; j < 2 * instance.block + 1; ++j) {
    query(j == instance.block ? record : 0);
    if (count >= c_hat) return false;
  }
  return true;
}

double laplace_tail(double x) { return x > 0 ? std::exp(-x) / 2 : 1 - std::exp(x) / 2; }

// E g(xi), xi a Laplace variable of scale 1; g is smooth.
template <class F>
double laplace_mean(F&& g) {
  double sum = 0;
  for (int panel = 0; panel < 45; ++panel) {
    const auto density = [&](double x) { return std::exp(-x) / 2 * (g(x) + g(-x)); };
    sum += boost::math::quadrature::gauss<double, 20>::integrate(density, panel, panel + 1);
  }
  return sum;
}

// P[no halt | `clips` gradients of norm C or later were clipped].
double given_clips(const SvtInstance& instance, double clips) {
  return laplace_tail((clips - instance.headroom) * instance.epsilon / 3);
}

// The law of the number of clips among `queries` gradients of norm C, from a fresh threshold on: a renewal process.
std::vector<double> refreshed_clips(const SvtInstance& instance, int queries) {
  const double scale = query_scale(instance, SvtForm::published);
  const auto size = static_cast<std::size_t>(queries);
  std::vector<double> survival(size + 1);
  for (std::size_t t = 0; t <= size; ++t)
    survival[t] = laplace_mean([&](double xi) { return std::pow(laplace_tail(-xi / scale), static_cast<double>(t)); });
  std::vector<std::vector<double>> laws(size + 1);
  for (std::size_t m = 0; m <= size; ++m) {
    laws[m].assign(m + 1, 0);
    laws[m][0] = survival[m];
    for (std::size_t first = 1; first <= m; ++first)
      for (std::size_t j = 0; j < laws[m - first].size(); ++j)
        laws[m][j + 1] += (survival[first - 1] - survival[first]) * laws[m - first][j];
  }
  return laws[size];
}

// The law of the number of clips from the first gradient of norm C on.
std::vector<double> published_clips(const SvtInstance& instance, SvtWorld world) {
  if (world == SvtWorld::without_record) return refreshed_clips(instance, 2 * instance.block);
  const std::vector<double> law = refreshed_clips(instance, instance.block);
  std::vector<double> sum(2 * law.size(), 0);
  for (std::size_t i = 0; i < law.size(); ++i)
    for (std::size_t j = 0; j < law.size(); ++j) sum[i + j + 1] += law[i] * law[j];
  return sum;
}

// Given the threshold, clips are independent: a mixture of binomials.
std::vector<double> corrected_clips(const SvtInstance& instance, SvtWorld world) {
  const double scale = query_scale(instance, SvtForm::corrected);
  const std::size_t record = world == SvtWorld::with_record ? 1 : 0;
  const int queries = 2 * instance.block;
  std::vector<double> law(static_cast<std::size_t>(queries) + 2, 0);
  for (int j = 0; j <= queries; ++j) {
    const double choose =
        boost::math::lgamma(queries + 1.0) - boost::math::lgamma(j + 1.0) - boost::math::lgamma(queries - j + 1.0);
    law[static_cast<std::size_t>(j) + record] = laplace_mean([&](double xi) {
      return std::exp(choose + j * std::log(laplace_tail(xi / scale)) +
                      (queries - j) * std::log(laplace_tail(-xi / scale)));
    });
  }
  return law;
}

std::vector<double> clips_law(const SvtInstance& instance, SvtForm form, SvtWorld world) {
  return form == SvtForm::published ? published_clips(instance, world) : corrected_clips(instance, world);
}

double no_halt_under(const SvtInstance& instance, const std::vector<double>& law) {
  double sum = 0;
  for (std::size_t j = 0; j < law.size(); ++j) sum += law[j] * given_clips(instance, static_cast<double>(j));
  return sum;
}

struct Measured {
  SvtForm form;
  SvtWorld world;
  std::uint64_t hits = 0;
  double exact = 0;
};

const char* name_of(SvtForm form) { return form == SvtForm::published ? "published" : "corrected"; }
const char* name_of(SvtWorld world) { return world == SvtWorld::with_record ? "D" : "D'"; }

std::vector<Measured> measure(const StudyContext& context, const SvtInstance& instance, std::uint64_t runs) {
  std::vector<Measured> all{{SvtForm::published, SvtWorld::with_record},
                            {SvtForm::published, SvtWorld::without_record},
                            {SvtForm::corrected, SvtWorld::with_record},
                            {SvtForm::corrected, SvtWorld::without_record}};
  constexpr std::uint64_t kChunk = 20000;
  const std::uint64_t chunks = runs / kChunk;
  std::vector<std::uint64_t> hits(all.size() * chunks);
  std::atomic<std::size_t> done = 0;
  const auto job = [&](std::size_t i) -> Result<void> {
    const Measured& cell = all[i / chunks];
    hits[i] = simulate_no_halt(instance, cell.form, cell.world, kChunk, seed_of("svt-erratum", {context.seed, i}));
    context.progress(++done, hits.size());
    return {};
  };
  if (!context.engine.for_each(hits.size(), job)) return {};
  for (std::size_t i = 0; i < hits.size(); ++i) all[i / chunks].hits += hits[i];
  for (Measured& cell : all) cell.exact = exact_no_halt(instance, cell.form, cell.world);
  return all;
}

// The instances around the one simulated: the event "no halt" with every headroom.
struct FamilyMember {
  double headroom;
  double ratio;  // of P[no halt] in the two worlds
  double delta;
};

std::vector<FamilyMember> exact_family(const SvtInstance& instance, SvtForm form) {
  const std::vector<double> with = clips_law(instance, form, SvtWorld::with_record);
  const std::vector<double> without = clips_law(instance, form, SvtWorld::without_record);
  std::vector<FamilyMember> members;
  for (int headroom = 1; headroom <= 2 * instance.block + 20; ++headroom) {
    SvtInstance member = instance;
    member.headroom = headroom;
    const double p = no_halt_under(member, with), q = no_halt_under(member, without);
    members.push_back({static_cast<double>(headroom), q / p, least_delta(p, q, instance.epsilon)});
  }
  return members;
}

double largest_delta(const std::vector<FamilyMember>& members) {
  return std::ranges::max_element(members, {}, &FamilyMember::delta)->delta;
}

Chart ratio_chart(const SvtInstance& instance, const std::vector<FamilyMember>& published,
                  const std::vector<FamilyMember>& corrected) {
  const auto line = [](const std::vector<FamilyMember>& members) {
    std::vector<Point> points;
    for (const FamilyMember& member : members) points.push_back({member.headroom, member.ratio});
    return points;
  };
  const double most = std::exp(instance.epsilon);
  return {.title = "Without the record, how much likelier is it that Algorithm 7 does not halt?",
          .subtitle =
              fmt::format("P[no halt on D'] / P[no halt on D]; at most e^{} allowed, up to delta", instance.epsilon),
          .x = {"clips left before the halt at c", false},
          .y = {"ratio of probabilities", true},
          .series = {{"as published", line(published), Mark::line, 1},
                     {"corrected", line(corrected), Mark::line, 0},
                     {"e^epsilon", {{1, most}, {published.back().headroom, most}}, Mark::dashed, 7}}};
}

}  // namespace

std::uint64_t simulate_no_halt(const SvtInstance& instance, SvtForm form, SvtWorld world, std::uint64_t runs,
                               std::uint64_t seed) {
  Generator random(seed);
  std::uint64_t hits = 0;
  for (std::uint64_t run = 0; run < runs; ++run) hits += no_halt(instance, form, world, random) ? 1 : 0;
  return hits;
}

double exact_no_halt(const SvtInstance& instance, SvtForm form, SvtWorld world) {
  return no_halt_under(instance, clips_law(instance, form, world));
}

// Each noise is cut with probability delta / (30 n) (e^-(c eps / 6) for the count); one per query, one per threshold.
double svt_truncation(const SvtInstance& instance) {
  const double draws = 2 * (2.0 * instance.block + 2);
  return draws * instance.delta / (30 * static_cast<double>(instance.rows)) +
         std::exp(-instance.clips * instance.epsilon / 6);
}

double least_delta(double p, double q, double epsilon) {
  const double most = std::exp(epsilon);
  return std::max({0.0, p - most * q, q - most * p, (1 - p) - most * (1 - q), (1 - q) - most * (1 - p)});
}

Result<Report> svt_erratum(const StudyContext& context) {
  const SvtInstance instance;
  const std::uint64_t runs = context.quick ? 1'000'000 : 20'000'000;
  const std::vector<Measured> cells = measure(context, instance, runs);
  if (cells.empty()) return system_error("the simulation of Algorithm 7 failed");

  // Each side with half of what may fail.
  const double one_side = 1 - (1 - kConfidence) / 2;
  const double above = probability_above(cells[1].hits, runs, one_side);
  const double below = probability_below(cells[0].hits, runs, one_side);
  const double published_lower = std::max(0.0, above - std::exp(instance.epsilon) * below);
  const std::vector<FamilyMember> published = exact_family(instance, SvtForm::published);
  const std::vector<FamilyMember> corrected = exact_family(instance, SvtForm::corrected);
  const double slack = (1 + std::exp(instance.epsilon)) * svt_truncation(instance);
  const double corrected_upper = largest_delta(corrected) + slack;

  Report report;
  TextTable table({"Algorithm 7", "data set", "runs", "P[no halt]", "99.9% interval", "exact"});
  Json worlds = Json::array();
  for (const Measured& cell : cells) {
    const double estimate = static_cast<double>(cell.hits) / static_cast<double>(runs);
    const double lower = probability_above(cell.hits, runs, one_side),
                 upper = probability_below(cell.hits, runs, one_side);
    table.add({name_of(cell.form), name_of(cell.world), fmt::format("{}", runs), fmt::format("{:.3e}", estimate),
               fmt::format("{:.3e} .. {:.3e}", lower, upper), fmt::format("{:.3e}", cell.exact)});
    worlds.push_back({{"form", name_of(cell.form)},
                      {"data_set", name_of(cell.world)},
                      {"runs", runs},
                      {"no_halt", cell.hits},
                      {"probability", estimate},
                      {"probability_lower", lower},
                      {"probability_upper", upper},
                      {"probability_exact", cell.exact}});
  }
  report.table = table.text();
  report.table += fmt::format("\nclaimed          epsilon {}, delta {:.1e}\n", instance.epsilon, instance.delta);
  report.table += fmt::format("published        delta >= {:.3e} with confidence {}; up to {:.3e} in the family\n",
                              published_lower, kConfidence, largest_delta(published));
  report.table += fmt::format("corrected        delta <= {:.1e} for the whole family of events\n", corrected_upper);
  report.json = {{"schema", "tailcoat-experiment-svt-erratum/1"},
                 {"quick", context.quick},
                 {"seed", context.seed},
                 {"claimed_epsilon", instance.epsilon},
                 {"claimed_delta", instance.delta},
                 {"confidence", kConfidence},
                 {"published_delta_lower_bound", published_lower},
                 {"published_delta_exact", least_delta(cells[0].exact, cells[1].exact, instance.epsilon)},
                 {"published_delta_family", largest_delta(published)},
                 {"corrected_delta_upper_bound", corrected_upper},
                 {"family", "no halt, or halt, at every headroom from 1 to 140; both directions"},
                 {"worlds", std::move(worlds)}};
  report.charts.push_back({"svt-erratum", ratio_chart(instance, published, corrected)});
  return report;
}

}  // namespace tailcoat::experiments
