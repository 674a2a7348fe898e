#include "tailcoat/algorithms/smooth_svt.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tailcoat/algorithms/phases.hpp"
#include "tailcoat/algorithms/rates.hpp"
#include "tailcoat/algorithms/tuning.hpp"
#include "tailcoat/privacy/conversions.hpp"

namespace tailcoat {
namespace {

// What the phases may use of the budget: a little less, so that the meter, which also pays for the random source, has
// room.
constexpr double kOfBudget = 1 - 0x1p-16;
// The lattice of the lengths, and floats, take less than this of what is planned for them.
constexpr double kSlack = 1 + 0x1p-12;

// A GLM's record takes part if it is smoother than the phase's beta by a little (engine/guarded_pass.md). So phases
// have a beta that is larger than the promised one by more: records at the promise itself take part.
constexpr double kWider = 1 + 0x1p-18;

// A phase as its utility sees it.
struct PhaseBound {
  double rows, step, clip;
  double drift;             // of its average, which sets the noise
  double shortest_clipped;  // no shorter gradient is ever clipped
  double least_cutoff;      // that many gradients have to be clipped for it to halt
};

// P[Binomial(n, p) >= m] by Bernstein's inequality.
double tail_of_count(double n, double p, double m) {
  const double above = m - n * p;
  return above <= 0 ? 1 : std::exp(-above * above / (2 * (n * p + above / 3)));
}

double chance_of_clipping(const Moments& moments, double shortest) {
  return shortest <= moments.gk ? 1 : std::pow(moments.gk / shortest, moments.k);
}

double halt_probability(const Moments& moments, const std::vector<PhaseBound>& phases) {
  double sum = 0;
  for (const PhaseBound& phase : phases)
    sum += tail_of_count(phase.rows, chance_of_clipping(moments, phase.shortest_clipped), phase.least_cutoff);
  return std::min(1.0, sum);
}

// E F(x_I) - F* (smooth_svt.md, "Utility"): phases with a clip bias each, and what a halt may cost.
double bound_of(const Setting& setting, Gdp noise, const std::vector<PhaseBound>& phases) {
  const double g2 = setting.moments.g2, d = static_cast<double>(setting.dimension);
  double bound = 0, v = setting.start_distance * setting.start_distance;
  for (const PhaseBound& phase : phases) {
    bound += v / (2 * phase.step * phase.rows) + phase.step * g2 * g2 / 2 +
             clip_bias(setting.moments, phase.clip) * setting.diameter;
    v = d * std::pow(phase.drift / noise.mu, 2);
  }
  return bound + g2 * std::sqrt(v) + g2 * setting.diameter * halt_probability(setting.moments, phases);
}

PhaseBound bound_of_phase(const SvtPhase& phase, double drift, double shortest_clipped) {
  return {.rows = static_cast<double>(phase.rows),
          .step = phase.step,
          .clip = phase.clip,
          .drift = drift,
          .shortest_clipped = shortest_clipped,
          .least_cutoff = static_cast<double>(phase.cutoff - phase.cutoff_bound)};
}

Result<ApproxDp> usable_budget(const Budget& budget) {
  TAILCOAT_TRY(approximate, approximate_budget(budget, "smooth-svt"));
  TAILCOAT_CHECK(check(approximate));
  return ApproxDp{approximate.epsilon * kOfBudget, approximate.delta * kOfBudget};
}

// ---- The text's parameters, with errata E1, E2 (no refresh), E9 and E20.

// A condition of the theorem, value <= bound. Those on the smoothness have values in proportion to it.
struct Condition {
  const char* what;
  double value, bound;
};

Result<void> check_rows(const Condition& condition) {
  if (condition.value <= condition.bound) return {};
  return refusal(
      fmt::format("smooth-svt with the paper's constants needs {} <= {:.4g}, and it is {:.4g}; give more rows "
                  "or a larger budget",
                  condition.what, condition.bound, condition.value));
}

Result<void> check_smoothness(double smoothness, std::span<const Condition> conditions) {
  const auto excess = [](const Condition& condition) { return condition.value / condition.bound; };
  const Condition& worst = *std::ranges::max_element(conditions, {}, excess);
  if (excess(worst) <= 1) return {};
  return refusal(
      fmt::format("smooth-svt with the paper's constants needs {} <= {:.4g}, and it is {:.4g}: smoothness = "
                  "{:.4g} may be at most {:.4g}",
                  worst.what, worst.bound, worst.value, smoothness, smoothness / excess(worst)));
}

struct PaperParameters {
  double n, eta, clip, cutoff;
};

PaperParameters paper_parameters(const Setting& setting, ApproxDp budget) {
  const auto [k, g2, gk] = setting.moments;
  const double phases = std::floor(std::log2(static_cast<double>(setting.rows))), n = std::exp2(phases);
  const double d = static_cast<double>(setting.dimension), diameter = setting.diameter;
  const double log_term = std::log(15 * n / budget.delta);
  const double a = 14400 * d * log_term * log_term / (n * budget.epsilon * budget.epsilon);
  const double eta =
      std::min(std::sqrt(4 / n) * diameter / g2, diameter * phases / (gk * n) * std::pow(n / a, (k - 1) / (2 * k)));
  return {.n = n,
          .eta = eta,
          .clip = 2 * std::pow(std::pow(gk, k) * diameter * phases / (a * eta), 1 / (k + 1)),
          .cutoff = std::ceil(480 * std::sqrt(d) * log_term / budget.epsilon)};
}

SvtBudget paper_budget(const PaperParameters& paper, ApproxDp budget) {
  const double most_clipped = std::ceil(1.5 * paper.cutoff);
  const double third = budget.epsilon / 3, for_threshold = third / (1 + std::pow(2 * most_clipped, 2.0 / 3));
  return {.epsilon = budget.epsilon,
          .for_threshold = for_threshold,
          .for_queries = third - for_threshold,
          .for_cutoff = third,
          .threshold_tail = budget.delta / (15 * paper.n),
          .query_tail = budget.delta / 30,
          .noise = {2.75 / 30 * budget.epsilon / std::sqrt(std::log(3 / budget.delta))}};
}

Result<SmoothSvtPlan> paper_plan(const Setting& setting, ApproxDp budget) {
  const PaperParameters paper = paper_parameters(setting, budget);
  const auto [n, eta, clip, cutoff] = paper;
  const double beta = setting.smoothness, most_clipped = std::ceil(1.5 * cutoff);
  const SvtBudget parts = paper_budget(paper, budget);

  TAILCOAT_CHECK(check_rows({"(6/epsilon) ln(12/delta)", 6 / budget.epsilon * std::log(12 / budget.delta), cutoff}));
  TAILCOAT_CHECK(check_rows(
      {"4 n (2 Gk / C)^k (erratum E9)", 4 * n * std::pow(2 * setting.moments.gk / clip, setting.moments.k), cutoff}));
  TAILCOAT_CHECK(check_rows({"24 ln(n)", 24 * std::log(n), cutoff}));
  if (!std::isfinite(beta)) return refusal("smooth-svt needs smooth losses: smoothness = inf; give its bound");
  const double sensitivity = 6 * clip * (eta / 4) * beta, log_tail = std::log(30 * (n / 2) / budget.delta);
  const Condition conditions[] = {
      {"8 eta_1 beta c", 8 * (eta / 4) * beta * cutoff, 1},
      {"8 (Delta/e_a) ln(30 n_1/delta)", 8 * sensitivity / parts.for_threshold * log_tail, clip},
      {"4 (2 ceil(1.5 c) Delta/e_b) ln(30 n_1/delta)",
       4 * 2 * most_clipped * sensitivity / parts.for_queries * log_tail, clip},
  };
  TAILCOAT_CHECK(check_smoothness(beta, conditions));

  SmoothSvtPlan plan{{}, {}, parts, 0};
  std::vector<PhaseBound> bounds;
  for (double i = 1; n / std::exp2(i) >= 2; ++i) {
    const double eta_i = eta / std::pow(4, i);
    plan.phases.push_back({.rows = static_cast<std::size_t>(n / std::exp2(i)),
                           .step = eta_i,
                           .clip = clip,
                           .longest = 11.0 / 8 * clip,
                           .smoothness = beta,
                           .threshold = clip,
                           .cutoff = static_cast<std::int64_t>(cutoff),
                           .cutoff_bound = static_cast<std::int64_t>(std::floor(cutoff / 2)),
                           .least_drift = 6 * clip * eta_i});
    bounds.push_back(bound_of_phase(plan.phases.back(), 2.75 * clip * eta_i * kSlack, clip / 2));
  }
  plan.halt_probability = halt_probability(setting.moments, bounds);
  plan.bound.excess_risk = bound_of(setting, parts.noise, bounds);
  return plan;
}

// ---- The least certified bound subject to the conditions of the proof.

// What the test of the lengths and its cutoff take of epsilon.
struct Split {
  double for_lengths, for_cutoff;
};

class Tuner {
 public:
  Tuner(const Setting& setting, ApproxDp budget) : setting_(setting), budget_(budget) {}

  // The best plan with that many phases, if any, better than `best`.
  void improve(SmoothSvtPlan& best, std::size_t phase_count, Split split) {
    const std::vector<std::size_t> sizes = phase_sizes(setting_.rows, phase_count, 0.5);
    if (sizes.back() < 2 || !set_split(split)) return;
    std::vector<double> logs{std::log(0.2)};  // share of the noise in `longest`, then longest and step per phase
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      logs.push_back(std::log(setting_.moments.gk * 10));
      logs.push_back(std::log(setting_.diameter / (setting_.moments.g2 * std::sqrt(rows()))) -
                     static_cast<double>(i) * std::log(4));
    }
    const auto value = [&](std::span<const double> at) {
      const SmoothSvtPlan plan = plan_at(sizes, at);
      return plan.bound.excess_risk;
    };
    minimise_posynomial(value, logs);
    SmoothSvtPlan plan = plan_at(sizes, logs);
    if (plan.bound.excess_risk < best.bound.excess_risk) best = std::move(plan);
  }

 private:
  [[nodiscard]] double rows() const { return static_cast<double>(setting_.rows); }

  // delta: 0.8 for the Gaussian noise, 0.1 for the cutoff, 0.1 for the tails of the noise on lengths in both worlds.
  bool set_split(Split split) {
    const double epsilon = budget_.epsilon, delta = budget_.delta * (1 - 0x1p-20);
    const double tails = 0.1 * delta / (1 + std::exp(epsilon));
    for_lengths_ = split.for_lengths * epsilon;
    const double for_cutoff = split.for_cutoff * epsilon;
    const double scale = std::max(1.0, 1 / for_cutoff) * (1 + 0x1p-40);
    const auto noise = to_gdp(ApproxDp{(epsilon - for_lengths_ - for_cutoff) * (1 - 0x1p-20), 0.8 * delta});
    const auto bound = smallest_laplace_bound(scale, 1, 0.1 * delta);
    if (!noise || !bound) return false;
    cutoff_bound_ = *bound;
    parts_ = {.epsilon = epsilon,
              .for_threshold = 0,
              .for_queries = 0,
              .for_cutoff = 1 / scale,
              .threshold_tail = 0.1 * tails,
              .query_tail = 0.9 * tails,
              .noise = *noise};
    return true;
  }

  // The cutoff that a phase in which gradients beyond `shortest` are clipped reaches with probability 1/n at most.
  [[nodiscard]] double cutoff_for(double phase_rows, double shortest) const {
    const double mean = phase_rows * chance_of_clipping(setting_.moments, shortest), log_n = std::log(rows());
    const double above = log_n / 3 + std::sqrt(log_n * log_n / 9 + 2 * mean * log_n);
    return std::ceil(std::min(mean + above, phase_rows + 1)) + static_cast<double>(cutoff_bound_);
  }

  [[nodiscard]] SmoothSvtPlan plan_at(const std::vector<std::size_t>& sizes, std::span<const double> logs) const {
    SmoothSvtPlan plan{{}, {}, parts_, 0};
    const double theta = std::exp(logs[0]);
    if (!(theta < 0.49)) return plan;
    std::vector<PhaseBound> bounds;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      const auto size = static_cast<double>(sizes[i]);
      const double longest = std::exp(logs[1 + 2 * i]), shortest = longest * (1 - 2 * theta * kSlack);
      if (!(longest < 1e6 * setting_.moments.gk * rows())) return plan;
      const double cutoff = cutoff_for(size, shortest), most_clipped = cutoff + static_cast<double>(cutoff_bound_);
      const double log_threshold = std::log(1 / parts_.threshold_tail), log_query = std::log(size / parts_.query_tail);
      if (i == 0) {  // the largest steps: their noise decides how the two parts share
        const double ratio = std::sqrt(2 * most_clipped * log_query / log_threshold);
        plan.budget.for_threshold = for_lengths_ / (1 + ratio);
        plan.budget.for_queries = for_lengths_ * (1 - 0x1p-40) - plan.budget.for_threshold;
      }
      // Noise on lengths of at most theta longest: 2 eta beta growth (...) <= theta.
      const double reach =
          2 * kSlack *
          (log_threshold / plan.budget.for_threshold + 2 * most_clipped * log_query / plan.budget.for_queries);
      const double free_cap = theta / (reach * setting_.smoothness);
      const double growth = std::exp(most_clipped * free_cap * setting_.smoothness / 4);
      const double step = std::min({std::exp(logs[2 + 2 * i]), free_cap / growth, 0.999 / setting_.smoothness});
      plan.phases.push_back({.rows = sizes[i],
                             .step = step,
                             .clip = longest,
                             .longest = longest,
                             .smoothness = setting_.smoothness,
                             .cutoff = static_cast<std::int64_t>(cutoff),
                             .cutoff_bound = cutoff_bound_});
      bounds.push_back(bound_of_phase(plan.phases.back(), 2 * step * longest * growth * kSlack, shortest));
    }
    plan.halt_probability = halt_probability(setting_.moments, bounds);
    plan.bound.excess_risk = bound_of(setting_, parts_.noise, bounds);
    return plan;
  }

  Setting setting_;
  ApproxDp budget_;
  double for_lengths_ = 0;
  SvtBudget parts_{};
  std::int64_t cutoff_bound_ = 0;
};

SmoothSvtPlan best_plan(const Setting& setting, ApproxDp budget, std::span<const std::size_t> phase_counts,
                        std::span<const Split> splits) {
  Tuner tuner(setting, budget);
  SmoothSvtPlan best{};
  for (const std::size_t phases : phase_counts)
    for (const Split& split : splits) tuner.improve(best, phases, split);
  return best;
}

SmoothSvtPlan quick_plan(const Setting& setting, ApproxDp budget) {
  constexpr std::size_t kPhases[] = {1, 3};
  constexpr Split kSplits[] = {{0.35, 0.1}};
  return best_plan(setting, budget, kPhases, kSplits);
}

// How smooth losses would have to be for a bound below the trivial one; 0 if that would not help.
double largest_smoothness(Setting setting, ApproxDp budget) {
  const auto helps = [&](double log_smoothness) {
    setting.smoothness = std::exp(log_smoothness);
    return quick_plan(setting, budget).bound.excess_risk < trivial_bound(setting);
  };
  const double scale = std::log(setting.moments.g2 / setting.diameter);
  double low = scale - 30, high = std::min(scale + 30, std::log(setting.smoothness));
  if (!helps(low)) return 0;
  for (int i = 0; i < 14; ++i) {
    const double middle = (low + high) / 2;
    (helps(middle) ? low : high) = middle;
  }
  return std::exp(low);
}

Result<SmoothSvtPlan> tight_plan(const Setting& setting, ApproxDp budget) {
  constexpr std::size_t kPhases[] = {1, 2, 3, 4, 5, 6, 8};
  constexpr Split kSplits[] = {{0.1, 0.05}, {0.2, 0.1}, {0.35, 0.05}, {0.35, 0.15}, {0.5, 0.1}, {0.5, 0.25}};
  SmoothSvtPlan best;
  if (std::isfinite(setting.smoothness)) best = best_plan(setting, budget, kPhases, kSplits);
  if (best.bound.excess_risk < trivial_bound(setting)) return best;
  const double most = largest_smoothness(setting, budget);
  return refusal(fmt::format(
      "smooth-svt can certify nothing at smoothness = {:.4g}: {}", setting.smoothness,
      most > 0 ? fmt::format("with {} rows and this budget it may be at most about {:.3g}", setting.rows, most)
               : fmt::format("{} rows and this budget are too few for any smoothness", setting.rows)));
}

// What the text's phases spend must fit the budget: their Gaussian noise is for epsilon < 1, and may be too little
// beyond.
Result<void> check_price(const SmoothSvtPlan& plan, const Budget& budget) {
  ParallelEvent phases;
  double delta = 0;
  for (const SvtPhase& phase : plan.phases) {
    phases.branches.push_back({ApproximateEvent{plan.budget.epsilon, svt_delta(phase, plan.budget)}});
    delta = std::max(delta, svt_delta(phase, plan.budget));
  }
  if (open_meter(budget, {phases})) return {};
  const ApproxDp total = std::get<ApproxDp>(budget);
  return refusal(fmt::format(
      "smooth-svt with the paper's constants spends delta = {:.3g} at epsilon = {:.4g}, and the budget allows "
      "{:.3g}: its Gaussian noise is for epsilon < 1; use tight constants or a smaller epsilon",
      delta, total.epsilon, total.delta));
}

// The plan's bound with the noise as it will be drawn, floats and lattice included.
Result<void> certify(SmoothSvtPlan& plan, const Setting& setting, const Problem& problem) {
  std::vector<PhaseBound> bounds;
  std::size_t first = 0;
  for (const SvtPhase& phase : plan.phases) {
    const Samples fresh = problem.samples.block(first, phase.rows);
    TAILCOAT_TRY(noise, svt_noise(fresh, problem.domain, phase, plan.budget));
    const GuardedPass pass{phase.step, phase.clip, phase.longest, phase.smoothness,
                           static_cast<double>(phase.cutoff + phase.cutoff_bound)};
    bounds.push_back(
        bound_of_phase(phase, guarded_drift(fresh, problem.domain, pass).iterates, noise.shortest_clipped()));
    first += phase.rows;
  }
  plan.halt_probability = halt_probability(setting.moments, bounds);
  plan.bound.excess_risk = bound_of(setting, plan.budget.noise, bounds);
  return {};
}

}  // namespace

Result<SmoothSvtPlan> plan_smooth_svt(const Setting& setting, const Budget& budget, const Options& options) {
  TAILCOAT_CHECK(check(setting));
  TAILCOAT_TRY(allowed, usable_budget(budget));
  if (setting.rows < 4) return refusal(fmt::format("smooth-svt needs at least 4 rows, the data has {}", setting.rows));
  Setting wider = setting;
  wider.smoothness *= kWider;
  TAILCOAT_TRY(plan, options.constants == Constants::paper ? paper_plan(wider, allowed) : tight_plan(wider, allowed));
  if (options.constants == Constants::paper) TAILCOAT_CHECK(check_price(plan, budget));
  double rows = 0;
  for (const SvtPhase& phase : plan.phases) rows += static_cast<double>(phase.rows);
  const double passes = rows / static_cast<double>(setting.rows);
  plan.work = {.sample_gradients = rows, .passes = passes, .wanted_passes = passes};
  return plan;
}

Result<Solution> smooth_svt(RunContext run, const Problem& problem, const Moments& moments, const Budget& budget,
                            const Options& options) {
  const Setting setting = setting_of(problem, moments);
  TAILCOAT_TRY(plan, plan_smooth_svt(setting, budget, options));
  TAILCOAT_CHECK(certify(plan, setting, problem));
  TAILCOAT_TRY(price, SvtPasses::price(problem.samples, problem.domain, plan.phases, plan.budget));
  TAILCOAT_TRY(meter, open_meter(budget, {price}));
  TAILCOAT_TRY(passes, SvtPasses::start(problem.samples, problem.domain, plan.phases, plan.budget, {meter, run.noise}));

  std::vector<double> x(problem.domain.centre().begin(), problem.domain.centre().end());
  Work work{.wanted_passes = plan.work.wanted_passes};
  for (const SvtPhase& phase : plan.phases) {
    TAILCOAT_TRY(moved, passes.next(run.engine, x));
    work.sample_gradients += static_cast<double>(phase.rows);
    if (!moved) break;  // it halted: the point before is the answer (erratum E24)
    TAILCOAT_TRY(next, moved_within(problem.domain, x, *moved));
    x = std::move(next);
  }
  work.passes = work.sample_gradients / static_cast<double>(setting.rows);
  return Solution{.x = std::move(x), .receipt = meter.receipt(), .work = work, .certified = plan.bound};
}

}  // namespace tailcoat
