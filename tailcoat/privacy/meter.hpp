// PrivacyMeter: what may still be spent. A mechanism charges it before it opens a sensitive value; a charge that would
// overspend is refused and changes nothing. Proof that adaptive charges compose: privacy.md, "The filter".
// A meter moves and is not copied: two copies would spend the same budget twice. It is not for use by several threads
// at once; split() gives each its own.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tailcoat/base/result.hpp"
#include "tailcoat/privacy/accountant.hpp"
#include "tailcoat/privacy/guarantees.hpp"
#include "tailcoat/privacy/receipt.hpp"
#include "tailcoat/privacy/upward_sum.hpp"

namespace tailcoat {

// What remains of a budget for an ideal random source (privacy.md, "Randomness"): what to plan with. Refused if delta
// is too small for the random source.
Result<ApproxDp> ideal_budget(ApproxDp total);

class PrivacyMeter {
 public:
  // Everything the run may release satisfies `total`, on the random source that noise/ provides. Events that are not
  // Gaussian (Laplace, sparse vector) are reserved here, before the data is read; the rest of the budget is for
  // Gaussian releases. Refused if the reserved events leave nothing, or if delta is too small for the random source.
  static Result<PrivacyMeter> open(ApproxDp total, const std::vector<Event>& reserved = {});
  // The same with the Gaussian part stated, not searched for; 0 is allowed. Refused if all together exceed the budget.
  static Result<PrivacyMeter> open(ApproxDp total, const std::vector<Event>& reserved, Gdp gaussian);
  static Result<PrivacyMeter> open(Gdp total);
  // Pure epsilon-DP: nothing but what is reserved, which must be epsilon-DP together; no Gaussian release.
  static Result<PrivacyMeter> open(PureDp total, const std::vector<Event>& reserved);

  PrivacyMeter(PrivacyMeter&&) noexcept;
  PrivacyMeter& operator=(PrivacyMeter&&) noexcept;  // a meter that was moved from has nothing left
  PrivacyMeter(const PrivacyMeter&) = delete;
  PrivacyMeter& operator=(const PrivacyMeter&) = delete;
  ~PrivacyMeter() = default;

  [[nodiscard]] Gdp total() const { return total_; }  // all that Gaussian releases may use together
  [[nodiscard]] Gdp remaining() const;                // the largest mu a single further release may have
  // `fraction` of total() in mu^2, rounded down so far that a million shares whose fractions sum to 1 all fit. No
  // charge accepts the share of a fraction that is not positive, or above 1 by more than 2^-39.
  [[nodiscard]] Gdp share(double fraction) const;

  // Refuses what charge() would refuse: for mechanisms of several releases, before the first.
  [[nodiscard]] Result<void> affords(const std::string& what, Gdp cost) const;

  Result<void> charge(const Release&, Gdp cost);
  // Uses up reservations made in open(), all of them or none.
  Result<void> charge(const Release&, const std::vector<Event>& reserved);
  Result<void> charge(const Release& release, const Event& reserved) { return charge(release, std::vector{reserved}); }

  // Disjoint blocks of rows, assigned by public index: `branches` meters that may each spend `share`, for the price of
  // one, charged here and now. It is for the caller to use each meter on its own block only: the meter sees no rows.
  // join() appends what they released to this receipt, which says so as long as that is missing.
  Result<std::vector<PrivacyMeter>> split(std::size_t branches, Gdp share);
  // The same for a parallel reservation, which is used up: the meter of a branch may spend the Gaussian events of it,
  // combined, and has its other events reserved.
  Result<std::vector<PrivacyMeter>> split(const ParallelEvent& reserved);
  void join(std::vector<PrivacyMeter> branches);

  [[nodiscard]] const Receipt& receipt() const { return receipt_; }

 private:
  PrivacyMeter() = default;

  static PrivacyMeter with(Gdp total, std::vector<Event> reserved, ApproxDp budget);
  [[nodiscard]] bool fits(double mu) const;
  [[nodiscard]] std::string block_name(std::size_t number, std::size_t branches) const;
  void record(const Release&, const Price&);

  Gdp total_{0};
  UpwardSum spent_mu_squared_;
  std::vector<Event> reserved_;
  std::string block_;  // which block of rows this meter is for: "2 of 4"; empty for all rows
  Receipt receipt_;
};

}  // namespace tailcoat
