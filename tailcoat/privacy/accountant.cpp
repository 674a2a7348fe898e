#include "tailcoat/privacy/accountant.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "tailcoat/privacy/sampled_gaussian.hpp"

namespace tailcoat {
namespace {

constexpr std::size_t kMostCases = 256;
constexpr int kDeepestNesting = 16;

constexpr NumberOption kEpsilonOrZero{.name = "epsilon", .meaning = "privacy loss bound", .lowest = 0};

using Cases = std::vector<Composition>;

Result<void> check_event(const GaussianEvent& event) {
  TAILCOAT_CHECK(check(kMuOption, event.mu));
  return {};
}
Result<void> check_event(const PureEvent& event) {
  TAILCOAT_CHECK(check(kEpsilonOption, event.epsilon));
  return {};
}
Result<void> check_event(const BoundedRangeEvent& event) {
  TAILCOAT_CHECK(check(kEpsilonOption, event.epsilon));
  return {};
}
Result<void> check_event(const ApproximateEvent& event) {
  TAILCOAT_CHECK(check(kEpsilonOrZero, event.epsilon));
  TAILCOAT_CHECK(check(kDeltaOption, event.delta));
  return {};
}
Result<void> check_event(const ZcdpEvent& event) {
  TAILCOAT_CHECK(check(kRhoOption, event.rho));
  return {};
}

Result<void> check_event(const SampledGaussianEvent& event) { return check(event); }

// Adds a case unless another one covers it; drops those it covers.
void add_case(Cases& cases, const Composition& candidate) {
  if (std::ranges::any_of(cases, [&](const Composition& other) { return candidate.covered_by(other); })) return;
  std::erase_if(cases, [&](const Composition& other) { return other.covered_by(candidate); });
  cases.push_back(candidate);
}

Result<void> add_event(Cases&, const Event&, int depth);

// The cases a record of any of the branches may be in.
Result<Cases> branch_cases(const ParallelEvent& event, int depth) {
  if (event.branches.empty()) return usage_error("a parallel event has no branches; give at least one");
  if (depth >= kDeepestNesting)
    return usage_error(fmt::format("parallel events are nested more than {} deep", kDeepestNesting));
  Cases all;
  for (const std::vector<Event>& branch : event.branches) {
    Cases cases{Composition{}};
    for (const Event& part : branch) TAILCOAT_CHECK(add_event(cases, part, depth + 1));
    for (const Composition& one : cases) add_case(all, one);
  }
  return all;
}

Result<void> add_kind(Cases& cases, const ParallelEvent& event, int depth) {
  TAILCOAT_TRY(branches, branch_cases(event, depth));
  Cases product;
  for (const Composition& before : cases) {
    for (const Composition& branch : branches) {
      Composition both = before;
      both.add(branch);
      add_case(product, both);
      if (product.size() > kMostCases)
        return usage_error(fmt::format(
            "parallel events leave more than {} ways in which a record may be affected; use fewer kinds of branches",
            kMostCases));
    }
  }
  cases = std::move(product);
  return {};
}

template <class SimpleEvent>
Result<void> add_kind(Cases& cases, const SimpleEvent& event, int /*depth*/) {
  TAILCOAT_CHECK(check_event(event));
  for (Composition& one : cases) one.add(event);
  return {};
}

Result<void> add_event(Cases& cases, const Event& event, int depth) {
  return std::visit([&](const auto& kind) { return add_kind(cases, kind, depth); }, event);
}

std::vector<CompositionProfile> profiles_of(const Cases& cases) { return {cases.begin(), cases.end()}; }

}  // namespace

Result<void> Accountant::add(const Event& event) { return add_event(cases_, event, 0); }

Result<double> Accountant::delta(double epsilon) const {
  TAILCOAT_CHECK(check(kEpsilonOrZero, epsilon));
  double worst = 0;
  for (const CompositionProfile& profile : profiles_of(cases_)) worst = std::max(worst, profile.delta(epsilon));
  return worst;
}

Result<double> Accountant::epsilon(double delta) const {
  TAILCOAT_CHECK(check(kDeltaOption, delta));
  double least = 0;
  for (const CompositionProfile& profile : profiles_of(cases_)) least = std::max(least, profile.epsilon(delta));
  if (std::isfinite(least)) return least;
  return refusal(fmt::format("the events have no finite epsilon at delta = {}; allow a greater delta", delta));
}

Result<Gdp> Accountant::room_for_gaussian(ApproxDp total) const {
  TAILCOAT_CHECK(check(total));
  double mu = std::numeric_limits<double>::infinity();
  for (const CompositionProfile& profile : profiles_of(cases_)) mu = std::min(mu, profile.room_for_gaussian(total));
  if (mu > 0) return Gdp{mu};
  return over_budget(fmt::format("the events leave nothing of epsilon = {}, delta = {}; allow more or reserve less",
                                 total.epsilon, total.delta));
}

}  // namespace tailcoat
