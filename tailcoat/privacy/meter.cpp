#include "tailcoat/privacy/meter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "tailcoat/base/rounding.hpp"
#include "tailcoat/privacy/randomness.hpp"
#include "tailcoat/privacy/sampled_gaussian.hpp"
#include "tailcoat/privacy/search.hpp"

namespace tailcoat {
namespace {

// Shares are taken of a total that is smaller by this factor: room for the rounding of the fractions and of the sum.
constexpr double kShareMargin = 1 - 0x1p-40;

// Within this range squares are exact in the sum of charges; beyond it there is nothing to protect or to release.
constexpr NumberOption kMeterMu{.name = "mu", .meaning = "GDP budget", .lowest = 1e-100, .highest = 1e100};

constexpr std::size_t kMostBranches = std::size_t{1} << 20;

Price price_of(const std::vector<Event>& events, ApproxDp budget);

// Part by part the dearer one. What steps a branch has is in its own lines: the greatest rate and the most steps need
// not be of one branch.
Price dearest(const Price& a, const Price& b) {
  return {.mu = std::max(a.mu, b.mu),
          .epsilon = std::max(a.epsilon, b.epsilon),
          .delta = std::max(a.delta, b.delta),
          .rho = std::max(a.rho, b.rho)};
}

struct PriceOfKind {
  ApproxDp budget;

  Price operator()(const GaussianEvent& event) const { return {.mu = event.mu}; }
  Price operator()(const PureEvent& event) const { return {.epsilon = event.epsilon}; }
  Price operator()(const BoundedRangeEvent& event) const { return {.epsilon = event.epsilon}; }
  Price operator()(const ApproximateEvent& event) const { return {.epsilon = event.epsilon, .delta = event.delta}; }
  Price operator()(const ZcdpEvent& event) const { return {.rho = event.rho}; }
  // Its epsilon alone would take seconds to work out; open() has checked that it is within the budget.
  Price operator()(const SampledGaussianEvent& event) const {
    return {.epsilon = budget.epsilon,
            .delta = budget.delta,
            .rate = event.rate,
            .ratio = event.ratio,
            .steps = event.steps};
  }
  Price operator()(const ParallelEvent& event) const {
    Price worst;
    for (const std::vector<Event>& branch : event.branches) worst = dearest(worst, price_of(branch, budget));
    return worst;
  }
};

// With sampled steps among them, the budget is the epsilon and delta of all, and one kind of steps stands for all:
// their greatest rate and ratio, all their steps.
Price price_of(const std::vector<Event>& events, ApproxDp budget) {
  Price sum;
  for (const Event& event : events) {
    const Price price = std::visit(PriceOfKind{budget}, event);
    sum.mu = sqrt_up(add_up(mul_up(sum.mu, sum.mu), mul_up(price.mu, price.mu)));
    sum.epsilon = add_up(sum.epsilon, price.epsilon);
    sum.delta = add_up(sum.delta, price.delta);
    sum.rho = add_up(sum.rho, price.rho);
    sum.rate = std::max(sum.rate, price.rate);
    sum.ratio = std::max(sum.ratio, price.ratio);
    sum.steps += price.steps;
  }
  if (holds_sampled_steps(events)) {
    sum.epsilon = budget.epsilon;
    sum.delta = budget.delta;
  }
  return sum;
}

// What the Gaussian events of a branch are together, not above what open() has checked; the others are moved out.
struct Branch {
  Gdp gaussian{0};
  std::vector<Event> others{};
};
Branch parts_of(const std::vector<Event>& events) {
  Branch branch;
  for (const Event& event : events) {
    const auto* gaussian = std::get_if<GaussianEvent>(&event);
    if (gaussian == nullptr) {
      branch.others.push_back(event);
    } else if (branch.gaussian.mu == 0) {
      branch.gaussian.mu = gaussian->mu;
    } else {
      const double square = mul_down(branch.gaussian.mu, branch.gaussian.mu);
      branch.gaussian.mu = sqrt_down(add_down(square, mul_down(gaussian->mu, gaussian->mu)));
    }
  }
  return branch;
}

Result<void> check_release(const Release& release) {
  const NumberOption sensitivity{.name = "sensitivity", .meaning = release.what, .lowest = 0};
  const NumberOption noise_scale{.name = "noise_scale", .meaning = release.what, .lowest = 0};
  TAILCOAT_CHECK(check(sensitivity, release.sensitivity));
  TAILCOAT_CHECK(check(noise_scale, release.noise_scale));
  return {};
}

}  // namespace

// At most half of delta is set aside: (1 + e^epsilon) times the distance of the real random source. Where that would
// not do, a smaller epsilon is aimed at, which implies the one asked for.
Result<ApproxDp> ideal_budget(ApproxDp total) {
  TAILCOAT_CHECK(check(total));
  const double most_odds = div_down(total.delta, 2 * kRandomnessDistance) - 1;  // (1 + e^epsilon) tau <= delta / 2
  if (!(most_odds > 1))
    return refusal(fmt::format(
        "delta = {} cannot be honoured: the random source is within {:.2g} of ideal, so delta must exceed {:.2g}",
        total.delta, kRandomnessDistance, 4 * kRandomnessDistance));
  const double epsilon = std::min(total.epsilon, std::log(most_odds) * (1 - 0x1p-40));
  const double odds = std::exp(epsilon) * (1 + 0x1p-40);
  return ApproxDp{epsilon, sub_down(total.delta, mul_up(add_up(1, odds), kRandomnessDistance))};
}

Result<PrivacyMeter> PrivacyMeter::open(ApproxDp total, const std::vector<Event>& reserved) {
  TAILCOAT_TRY(ideal, ideal_budget(total));
  Accountant accountant;
  for (const Event& event : reserved) TAILCOAT_CHECK(accountant.add(event));
  TAILCOAT_TRY(gaussian, accountant.room_for_gaussian(ideal));
  TAILCOAT_CHECK(check(kMeterMu, gaussian.mu));
  return with(gaussian, reserved, total);
}

Result<PrivacyMeter> PrivacyMeter::open(ApproxDp total, const std::vector<Event>& reserved, Gdp gaussian) {
  TAILCOAT_TRY(ideal, ideal_budget(total));
  Accountant accountant;
  for (const Event& event : reserved) TAILCOAT_CHECK(accountant.add(event));
  if (gaussian.mu != 0) {
    TAILCOAT_CHECK(check(kMeterMu, gaussian.mu));
    TAILCOAT_CHECK(accountant.add(GaussianEvent{gaussian.mu}));
  }
  TAILCOAT_TRY(delta, accountant.delta(ideal.epsilon));
  if (delta <= ideal.delta) return with(gaussian, reserved, total);
  return over_budget(fmt::format(
      "what is planned has delta = {} at epsilon = {}, and {} is allowed; reserve less, add noise or allow more", delta,
      ideal.epsilon, ideal.delta));
}

Result<PrivacyMeter> PrivacyMeter::open(Gdp total) {
  TAILCOAT_CHECK(check(kMeterMu, total.mu));
  return with(total, {}, {});
}

PrivacyMeter PrivacyMeter::with(Gdp total, std::vector<Event> reserved, ApproxDp budget) {
  PrivacyMeter meter;
  meter.total_ = total;
  meter.reserved_ = std::move(reserved);
  meter.receipt_.gaussian_budget = total;
  meter.receipt_.budget = budget;
  return meter;
}

Result<PrivacyMeter> PrivacyMeter::open(PureDp total, const std::vector<Event>& reserved) {
  TAILCOAT_CHECK(check(total));
  Accountant accountant;
  for (const Event& event : reserved) TAILCOAT_CHECK(accountant.add(event));
  const Price price = price_of(reserved, {total.epsilon, 0});  // not of sampled steps, whose price is the budget
  if (price.mu > 0 || price.delta > 0 || price.rho > 0 || holds_sampled_steps(reserved))
    return over_budget("a pure epsilon budget pays for pure events alone; give delta > 0 for others");
  if (price.epsilon > total.epsilon)
    return over_budget(fmt::format("the reserved events cost epsilon = {}, and the budget is {}; reserve less",
                                   price.epsilon, total.epsilon));
  PrivacyMeter meter;
  meter.reserved_ = reserved;
  meter.receipt_.budget = {total.epsilon, 0};
  return meter;
}

PrivacyMeter::PrivacyMeter(PrivacyMeter&& other) noexcept
    : total_(std::exchange(other.total_, Gdp{0})),
      spent_mu_squared_(std::exchange(other.spent_mu_squared_, {})),
      reserved_(std::exchange(other.reserved_, {})),
      block_(std::exchange(other.block_, {})),
      receipt_(std::exchange(other.receipt_, {})) {}

PrivacyMeter& PrivacyMeter::operator=(PrivacyMeter&& other) noexcept {
  PrivacyMeter taken(std::move(other));
  std::swap(total_, taken.total_);
  std::swap(spent_mu_squared_, taken.spent_mu_squared_);
  std::swap(reserved_, taken.reserved_);
  std::swap(block_, taken.block_);
  std::swap(receipt_, taken.receipt_);
  return *this;
}

Gdp PrivacyMeter::remaining() const {
  return {largest_where([&](double mu) { return fits(mu); })};
}

Gdp PrivacyMeter::share(double fraction) const {
  return {mul_down(total_.mu, sqrt_down(mul_down(fraction, kShareMargin)))};
}

Result<void> PrivacyMeter::affords(const std::string& what, Gdp cost) const {
  TAILCOAT_CHECK(check(cost));
  if (fits(cost.mu)) return {};
  if (total_.mu == 0)
    return over_budget(fmt::format(
        "{} asks for Gaussian noise, but this budget is for reserved events alone, as one of pure epsilon-DP is; give "
        "delta > 0",
        what));
  return over_budget(fmt::format("{} asks for mu = {}, but only mu = {} of {} is left; add noise or allow more", what,
                                 cost.mu, remaining().mu, total_.mu));
}

Result<void> PrivacyMeter::charge(const Release& release, Gdp cost) {
  TAILCOAT_CHECK(check_release(release));
  TAILCOAT_CHECK(affords(release.what, cost));
  spent_mu_squared_.add_square(cost.mu);
  receipt_.gaussian_spent = {sqrt_up(spent_mu_squared_.above())};
  record(release, {.mu = cost.mu});
  return {};
}

Result<void> PrivacyMeter::charge(const Release& release, const std::vector<Event>& reserved) {
  TAILCOAT_CHECK(check_release(release));
  std::vector<Event> left = reserved_;
  for (const Event& event : reserved) {
    const auto found = std::ranges::find(left, event);
    if (found == left.end())
      return over_budget(fmt::format(
          "{} was not reserved, or its reservation is used up: reserve it when the meter is opened", release.what));
    left.erase(found);
  }
  reserved_ = std::move(left);
  record(release, price_of(reserved, receipt_.budget));
  return {};
}

Result<std::vector<PrivacyMeter>> PrivacyMeter::split(std::size_t branches, Gdp share) {
  if (branches == 0 || branches > kMostBranches)
    return usage_error(fmt::format("cannot split a meter into {} branches; give 1 to {}", branches, kMostBranches));
  TAILCOAT_CHECK(check(kMeterMu, share.mu));
  TAILCOAT_CHECK(charge(
      {.what = fmt::format("{} disjoint blocks of rows", branches), .mechanism = "parallel", .values = 0}, share));
  std::vector<PrivacyMeter> meters;
  for (std::size_t i = 1; i <= branches; ++i) {
    meters.push_back(with(share, {}, {}));
    meters.back().block_ = block_name(i, branches);
  }
  receipt_.blocks_not_joined += branches;
  return meters;
}

Result<std::vector<PrivacyMeter>> PrivacyMeter::split(const ParallelEvent& reserved) {
  const std::size_t branches = reserved.branches.size();
  TAILCOAT_CHECK(charge(
      {.what = fmt::format("{} disjoint blocks of rows", branches), .mechanism = "parallel", .values = 0}, reserved));
  std::vector<PrivacyMeter> meters;
  for (const std::vector<Event>& events : reserved.branches) {
    Branch branch = parts_of(events);
    meters.push_back(with(branch.gaussian, std::move(branch.others), receipt_.budget));
    meters.back().block_ = block_name(meters.size(), branches);
  }
  receipt_.blocks_not_joined += branches;
  return meters;
}

void PrivacyMeter::join(std::vector<PrivacyMeter> branches) {
  receipt_.blocks_not_joined -= std::min(branches.size(), receipt_.blocks_not_joined);
  for (PrivacyMeter& branch : branches) {
    receipt_.blocks_not_joined += branch.receipt_.blocks_not_joined;
    receipt_.secure = receipt_.secure && branch.receipt_.secure;
    std::ranges::move(branch.receipt_.lines, std::back_inserter(receipt_.lines));
  }
}

std::string PrivacyMeter::block_name(std::size_t number, std::size_t branches) const {
  return fmt::format("{}{}{} of {}", block_, block_.empty() ? "" : ", ", number, branches);
}

bool PrivacyMeter::fits(double mu) const {
  UpwardSum limit;
  limit.add_square(total_.mu);
  UpwardSum sum = spent_mu_squared_;
  sum.add_square(mu);
  return sum.at_most(limit);
}

void PrivacyMeter::record(const Release& release, const Price& price) {
  receipt_.secure = receipt_.secure && release.secure_noise;
  receipt_.lines.push_back({release, price, block_});
}

}  // namespace tailcoat
