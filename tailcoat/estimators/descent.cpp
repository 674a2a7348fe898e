#include "tailcoat/estimators/descent.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "tailcoat/base/rounding.hpp"
#include "tailcoat/estimators/fit_checks.hpp"
#include "tailcoat/estimators/runs.hpp"
#include "tailcoat/mechanisms/clipped_gradient.hpp"
#include "tailcoat/mechanisms/histograms.hpp"

namespace tailcoat {
namespace {

constexpr double kSlack = 2, kVisible = 5;  // of bins of norms, in noise deviations
constexpr int kNormBins = 2;                // per octave
constexpr double kLeastSeen = 0.3;          // of the rows with a label
// How much more noise counts than bias when a clip is chosen. The last iterate has more of it than one gradient for all
// the budget; and cutting the gradients of rare events, which are all as long, moves little but the level.
constexpr double kNoiseOfPath = 2, kNoiseOfRare = 6;
constexpr double kRare = 0.5;  // a mean count
constexpr double kLeastLogisticClip = 0.4, kLeastPoissonClip = 1;
constexpr double kMost = 0.9, kCapOfMost = 2.5;  // rows, and how many times their norms are still no outliers
// A wider clip is worth a try if it is so many times as wide, cuts so much less, and if what is cut now shows so
// clearly.
constexpr double kWider = 4, kStillCut = 0.1, kClearlyCut = 100;
constexpr double kTells = 3, kSpread = 5;    // times the square that chance makes of a gradient, and its deviation
constexpr double kLeastFollowed = 0.2;       // of the curvature at the start
constexpr double kShows = 2;                 // times its squared noise, of a gradient that is believed
constexpr double kTurn = 0.2, kShorter = 2;  // cosine of gradients that point back; steps are shorter then
constexpr double kLeastHuberCurvature = 0.1;
constexpr double kCentralLevels = 0.25;                       // of quantiles, from the median on
constexpr double kResidualShare = 0.5;                        // of a clip's budget, where residuals are looked at too
constexpr double kCentralShare = 0.25;                        // of the residuals that density is measured on
constexpr double kLeastWidth = 0.05, kLeastHingeWidth = 0.5;  // of that neighbourhood, in units of the fit
constexpr double kNormalMedian = 0.6745;                      // of |x| under the standard normal law

Gdp part(Gdp cost, double share) { return {mul_down(cost.mu, sqrt_down(share))}; }

struct Bar {
  double low, high, rows;
  [[nodiscard]] double middle() const { return low + (high - low) / 2; }
};

enum class Signs { both, positive };  // that the values of a column have

// The visible magnitudes of a column.
Result<std::vector<Bar>> magnitudes(RunContext run, Outlet outlet, const RowData& column, Signs signs,
                                    const std::string& what, Gdp cost) {
  const BinGrid grid = magnitude_bins(kNormBins);
  TAILCOAT_TRY(histogram, column_histograms(run.engine, column, std::span(&grid, 1), what, cost, outlet));
  const std::vector<double>& counts = histogram.counts[0];
  const std::size_t zero = counts.size() / 2, per_sign = counts.size() - zero - 1;
  std::vector<double> folded(per_sign);
  const bool both = signs == Signs::both;  // where there are no negative values, their bins hold noise alone
  for (std::size_t i = 0; i < per_sign; ++i) folded[i] = counts[zero + 1 + i] + (both ? counts[zero - 1 - i] : 0);
  const double noise = (both ? std::sqrt(2.0) : 1.0) * histogram.noise_scale;
  const std::vector<char> visible = visible_bins(folded, noise, kSlack, kVisible);
  std::vector<Bar> bars;
  for (std::size_t i = 0; i < per_sign; ++i) {
    if (!visible[i]) continue;
    const double low = lower_edge(grid, zero + 1 + i), high = upper_edge(grid, zero + 1 + i);
    bars.push_back({low, std::isinf(high) ? 2 * low : high, std::max(folded[i], 0.0)});
  }
  return bars;
}

double total(std::span<const Bar> bars) {
  double sum = 0;
  for (const Bar& bar : bars) sum += bar.rows;
  return sum;
}

double rows_within(std::span<const Bar> bars, double limit) {
  double sum = 0;
  for (const Bar& bar : bars)
    if (bar.high <= limit) sum += bar.rows;
  return sum;
}

double quantile(std::span<const Bar> bars, double rows) {
  double sum = 0;
  for (const Bar& bar : bars) {
    sum += bar.rows;
    if (sum >= rows) return bar.high;
  }
  return bars.back().high;
}

// Between the edges of its bar, as if rows were spread evenly there.
double median(std::span<const Bar> bars) {
  double left = 0.5 * total(bars);
  for (const Bar& bar : bars) {
    if (bar.rows >= left) return bar.low + (bar.high - bar.low) * left / bar.rows;
    left -= bar.rows;
  }
  return bars.back().high;
}

double rows_beyond(std::span<const Bar> bars, double limit) {
  double sum = 0;
  for (const Bar& bar : bars)
    if (bar.middle() > limit) sum += bar.rows;
  return sum;
}

// Of the magnitudes, cut to the limit.
double square_sum(std::span<const Bar> bars, double limit) {
  double sum = 0;
  for (const Bar& bar : bars) sum += bar.rows * std::pow(std::min(bar.middle(), limit), 2);
  return sum;
}

// Minimises (bias of the mean gradient)^2 + (norm of its noise)^2 over the edges of the bars, where noise_per_clip is
// the latter for a clip of 1; then cuts it to `cap` median norms, or to what is large beside nine rows of ten.
double choose_clip(std::span<const Bar> bars, double rows, double noise_per_clip, double cap) {
  double clip = bars.back().high, least = HUGE_VAL;
  for (const Bar& candidate : bars) {
    double bias = 0;
    for (const Bar& bar : bars) bias += bar.rows * std::max(bar.middle() - candidate.high, 0.0) / rows;
    const double error = bias * bias + std::pow(noise_per_clip * candidate.high, 2);
    if (error < least) least = error, clip = candidate.high;
  }
  if (!std::isfinite(cap)) return clip;
  const double seen = total(bars);
  return std::min(clip, std::max(cap * quantile(bars, 0.5 * seen), kCapOfMost * quantile(bars, kMost * seen)));
}

// What a clip leaves of the norms that were seen.
struct Clipping {
  double clip = 0, clipped_share = 0, mean_square = 0;
};

Clipping clipping(std::span<const Bar> bars, double clip, double rows) {
  return {clip, std::min(rows_beyond(bars, clip) / rows, 1.0), square_sum(bars, clip) / rows};
}

// The squared norm of what is orthogonal to a direction; an empty one is none.
double square_beside(std::span<const double> vector, std::span<const double> direction) {
  const double square = product(vector, vector), length = product(direction, direction);
  return length > 0 ? square - std::pow(product(direction, vector), 2) / length : square;
}

bool is_kinked(const Loss& loss) {
  return std::holds_alternative<AbsoluteLoss>(loss) || std::holds_alternative<QuantileLoss>(loss) ||
         std::holds_alternative<HingeLoss>(loss);
}

// Where an error of the margin is a factor, gradients grow with it, and no slope is out of reach. Beyond a quantile far
// from the median they are short on one side: a step too far would not be seen.
bool may_hurry(const Loss& loss) {
  const auto* quantile = std::get_if<QuantileLoss>(&loss);
  return !is_exponential(loss) && !(quantile != nullptr && std::abs(quantile->level - 0.5) > kCentralLevels);
}

// A clip below it would cut the long gradients on one side of the fit, of a rare class or beyond a quantile, and leave
// those on the other side: that is no longer the model that was asked for. Times sqrt(d).
double least_clip(const Loss& loss) {
  if (std::holds_alternative<LogisticLoss>(loss)) return kLeastLogisticClip;
  if (std::holds_alternative<PoissonLoss>(loss)) return kLeastPoissonClip;
  if (const auto* quantile = std::get_if<QuantileLoss>(&loss)) return std::max(quantile->level, 1 - quantile->level);
  return 0;
}

// The derivative of a kinked loss jumps by this much.
double jump_of(const Loss& loss) { return std::holds_alternative<AbsoluteLoss>(loss) ? 2 : 1; }

std::vector<double> budget_shares(const DescentRules& rules) {
  std::vector<double> shares(rules.steps);
  double share = 1, sum = 0;
  for (std::size_t t = rules.steps; t-- > 0; share *= rules.growth) sum += shares[t] = share;
  for (double& s : shares) s /= sum;
  return shares;
}

class Walk {
 public:
  Walk(RunContext run, Outlet outlet, const LabelledData& data, const DescentBudget& budget, const DescentRules& rules)
      : run_(run), outlet_(outlet), data_(data), budget_(budget), rules_(rules) {}

  Result<Descent> from(DescentStart start, const Loss& loss, const std::function<bool()>& tick) {
    labelled_ = start.labelled;
    spread_ = start.spread;
    mean_row_ = std::move(start.mean_row);
    found_.from = start.x;
    found_.x = std::move(start.x);
    found_.loss = loss;
    found_.curvature = start.curvature * labelled_ / static_cast<double>(data_.rows());
    begun_ = found_.curvature;
    asked_ = loss;
    TailPace tails(may_hurry(loss) ? std::move(start.tails) : std::vector<TailDirection>());
    std::vector<double> velocity(found_.x.size()), ahead(found_.x.size());
    const std::vector<double> shares = budget_shares(rules_);
    found_.path.momentum = rules_.momentum;
    std::vector<double> last;
    double stride = 1;
    for (std::size_t t = 0; t < rules_.steps; ++t) {
      if (!tick()) return system_error("stopped");
      const std::size_t middle = rules_.steps / 2;
      const bool looks_again = rules_.looks > 1, last_look = looks_again && t == middle;
      const bool early_look = looks_again && t == std::max<std::size_t>(1, rules_.steps / 5);
      if (t == 0 || early_look || last_look) TAILCOAT_CHECK(look_at_gradients());
      for (std::size_t j = 0; j < ahead.size(); ++j) ahead[j] = found_.x[j] + rules_.momentum * velocity[j];
      const bool wider = last_look && is_worth_a_try(wide_);
      TAILCOAT_TRY(gradient,
                   gradient_at(ahead, wider ? wide_.clip : found_.clip, part(budget_.gradients, shares[t]), t));
      if (turns_back(gradient, last)) stride /= kShorter;
      const bool misled = wider && !tells_of_slopes(gradient);
      if (wider && !misled) {
        found_.widened = wide_.clip / found_.clip;
        use(wide_);
      }
      if (!misled) found_.sights.push_back({ahead, gradient, found_.noise.back()});
      found_.path.steps.push_back(misled ? 0 : stride * rules_.step_at(t));
      const double length = found_.path.steps.back() / found_.curvature;
      for (std::size_t j = 0; j < ahead.size(); ++j) {
        const double next = ahead[j] - length * gradient[j];
        velocity[j] = next - found_.x[j];
        found_.x[j] = next;
      }
      // Later the gradients of squared loss lead there by themselves; those of the others are as long anywhere.
      if (t == middle) tails.slow_down();
      if (t < middle || looks_at_residuals(asked_)) tails.hurry(gradient, found_.noise.back(), length, found_.x);
      last = std::move(gradient);
    }
    if (looks_at_residuals(asked_)) found_.unfinished = tails.unfinished();
    return std::move(found_);
  }

 private:
  // Whether a step went too far: the next gradient points back.
  [[nodiscard]] bool turns_back(std::span<const double> gradient, std::span<const double> last) const {
    if (last.empty() || !is_exponential(asked_)) return false;
    const double size = product(gradient, gradient), last_size = product(last, last);
    // Where noise is all there is of a gradient it may point anywhere; shorter steps do no harm then if it is large.
    const double noise = static_cast<double>(gradient.size()) * std::pow(found_.noise.back(), 2);
    const bool shows = !rules_.follows || std::min(size, last_size) > kShows * noise;
    return shows && product(gradient, last) < -kTurn * std::sqrt(size * last_size);
  }

  // A wider clip than the cap allows, which cuts few of the rows that are cut now, also of those that noise may hide.
  // If it cut many of them, the longer ones would be cut more, and what is left of outliers would point where rows are
  // short. Nor may targets be missing: those that are there might be rows of another mean.
  [[nodiscard]] bool is_worth_a_try(const Clipping& wide) const {
    const auto n = static_cast<double>(data_.rows());
    return wide.clip > kWider * found_.clip && wide.clipped_share < kStillCut * found_.clipped_share &&
           found_.clipped_share * n > kClearlyCut * noise_of_norms_ && labelled_ == n;
  }

  // Whether a gradient with the wide clip shows more than noise and sampling would. It is taken where the narrow clip
  // has led: what it shows are the rows that are cut there. Along the mean row that is their mean, which the fit is not
  // to follow; beside it they say something about slopes, and are no outliers. Without slopes the square is about
  // chi^2.
  [[nodiscard]] bool tells_of_slopes(std::span<const double> gradient) const {
    const auto d = static_cast<double>(gradient.size());
    const double by_noise = d * std::pow(found_.noise.back(), 2);
    const double by_sampling = wide_.mean_square / static_cast<double>(data_.rows());
    const double least = std::max(kTells, 1 + kSpread * std::sqrt(2 / std::max(d - 1, 1.0)));
    return square_beside(gradient, mean_row_) > least * (by_noise + by_sampling);
  }

  [[nodiscard]] std::string named(const std::string& release) const { return rules_.of + release; }

  [[nodiscard]] double noise_weight() const {
    const double mean_count = begun_ * static_cast<double>(data_.rows()) / labelled_;
    if (is_count(asked_) && mean_count < kRare) return kNoiseOfRare;
    return looks_at_residuals(asked_) ? 1 : kNoiseOfPath;
  }

  void use(const Clipping& chosen) {
    if (chosen.clip != found_.clip) found_.sights.clear();
    found_.clip = chosen.clip;
    found_.clipped_share = chosen.clipped_share;
    found_.mean_square = chosen.mean_square;
  }

  // Chooses the clip, and what else the loss needs to know about the residuals.
  Result<void> look_at_gradients() {
    wide_ = {};
    const Gdp cost = part(budget_.clips, 1.0 / static_cast<double>(rules_.looks));
    const bool residuals = looks_at_residuals(asked_);
    if (residuals) TAILCOAT_CHECK(look_at_residuals(part(cost, kResidualShare)));
    TAILCOAT_TRY(norms, run_.engine.gradient_norms(Samples(data_, found_.loss), found_.x));
    const Gdp of_norms = residuals ? part(cost, 1 - kResidualShare) : cost;
    noise_of_norms_ = std::numbers::sqrt2 / of_norms.mu;
    TAILCOAT_TRY(bars, magnitudes(run_, outlet_, norms, Signs::positive, named("norms of gradients"), of_norms));
    const auto n = static_cast<double>(data_.rows()), d = static_cast<double>(data_.dimension());
    // A run of noise alone may be anywhere. Where a hinge is passed there is no gradient.
    const bool few = !std::holds_alternative<HingeLoss>(asked_) &&
                     (total(bars) < kLeastSeen * labelled_ || kVisible * noise_of_norms_ > labelled_);
    if (bars.empty() || few) {
      if (found_.clip == 0) found_.clip = std::sqrt(d);
      return {};
    }
    const bool bounded = !std::holds_alternative<SquaredLoss>(asked_);
    const double noise_per_clip = noise_weight() * std::sqrt(d) * 2 / (n * budget_.gradients.mu);
    const double uncapped = choose_clip(bars, n, noise_per_clip, HUGE_VAL);
    double clip = bounded ? uncapped : choose_clip(bars, n, noise_per_clip, rules_.clip_cap);
    if (uncapped > clip) wide_ = clipping(bars, uncapped, n);
    if (!bounded && found_.clip > 0) clip = std::min(found_.clip, clip);  // only down
    use(clipping(bars, std::max(clip, least_clip(found_.loss) * std::sqrt(d)), n));
    // At the truth the second moment of the gradients of a likelihood is its curvature.
    if (rules_.follows && is_exponential(asked_))
      found_.curvature = std::clamp(square_sum(bars, HUGE_VAL) / (n * spread_), kLeastFollowed * begun_, begun_);
    return {};
  }

  // The scale of residuals for Huber's loss; their density at the kink, which is the curvature, for the others.
  Result<void> look_at_residuals(Gdp cost) {
    TAILCOAT_TRY(column, run_.engine.residuals(Samples(data_, found_.loss), found_.x));
    TAILCOAT_TRY(bars, magnitudes(run_, outlet_, column, Signs::both, named("residuals"), cost));
    if (bars.empty()) return {};
    const double rows = total(bars), n = static_cast<double>(data_.rows());
    if (std::holds_alternative<HuberLoss>(asked_)) {
      const double scale = median(bars) / kNormalMedian;
      const double delta = std::get<HuberLoss>(asked_).delta * scale;
      found_.loss = HuberLoss{delta};
      found_.sights.clear();
      const double outside = rows - rows_within(bars, delta);
      found_.curvature = std::clamp(1 - outside / labelled_, kLeastHuberCurvature, 1.0) * labelled_ / n;
      return {};
    }
    // Many residuals may be 0: the density is that of a neighbourhood a step can cross.
    const double least = std::holds_alternative<HingeLoss>(asked_) ? kLeastHingeWidth : kLeastWidth;
    const double width = std::max(quantile(bars, kCentralShare * rows), least);
    // Residuals of 0 are in no bar; those of rows without a label are no residuals.
    const double within = rows_within(bars, width) + std::max(labelled_ - rows, 0.0);
    found_.curvature = jump_of(asked_) * std::max(within, 0.1 * kCentralShare * labelled_) / (2 * width * n);
    return {};
  }

  Result<std::vector<double>> gradient_at(std::span<const double> x, double clip, Gdp cost, std::size_t step) {
    TAILCOAT_TRY(gradient, clipped_gradient(run_.engine, Samples(data_, found_.loss), x, clip,
                                            named(fmt::format("gradient, step {}", step + 1)), cost, outlet_));
    found_.noise.push_back(gradient.noise);
    return std::move(gradient.mean);
  }

  RunContext run_;
  Outlet outlet_;
  const LabelledData& data_;
  DescentBudget budget_;
  DescentRules rules_;
  Loss asked_;
  double labelled_ = 0, spread_ = 0, begun_ = 0;  // of the start; the last is the curvature there
  std::vector<double> mean_row_;                  // likewise
  Clipping wide_;                                 // without a cap, if that has lowered the clip
  double noise_of_norms_ = 0;                     // deviation of a count of the histogram that both are from
  Descent found_;
};

}  // namespace

bool looks_at_residuals(const Loss& loss) { return is_kinked(loss) || std::holds_alternative<HuberLoss>(loss); }

Result<Descent> descend(RunContext run, Outlet outlet, const LabelledData& data, const Loss& loss, DescentStart start,
                        const DescentBudget& budget, const DescentRules& rules, const std::function<bool()>& tick) {
  return Walk(run, outlet, data, budget, rules).from(std::move(start), loss, tick);
}

std::vector<double> gradient_responses(const Path& path, double curvature) {
  std::vector<double> responses(path.steps.size());
  for (std::size_t hit = 0; hit < path.steps.size(); ++hit) {
    double x = 0, velocity = 0;
    for (std::size_t t = hit; t < path.steps.size(); ++t) {
      const double ahead = x + path.momentum * velocity;
      const double next = ahead - path.steps[t] * (curvature * ahead + (t == hit ? 1 : 0));
      velocity = next - x;
      x = next;
    }
    responses[hit] = x;
  }
  return responses;
}

}  // namespace tailcoat
