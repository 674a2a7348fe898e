// What a receipt promises, as chances of an attacker who knows every row but one and wants to learn about that one.
// Bounds hold for every attacker; proofs: report.md.
#pragma once

#include "tailcoat/privacy/receipt.hpp"

namespace tailcoat::report {

struct Promise {
  double epsilon = 0, delta = 0;
  double mu = 0;          // 0 where releases other than Gaussian ones took part
  bool gaussian = false;  // the promise is mu-GDP up to `failure`, which is stronger than epsilon and delta alone
  double failure = 0;     // the deltas of releases that have nothing else, together
};

// The budget, not what was spent of it: only the budget was fixed before the data was seen. A budget that was given as
// mu is told as epsilon at delta = 1e-6.
Promise promise_of(const Receipt&);

// Largest chance to say "this row was used" when it was, for who says so in `false_alarm` of the cases when another
// was.
double detection(const Promise&, double false_alarm);
// Largest chance to tell which of two equally likely rows was used.
// The chance that what is published shifts the odds by more than e^epsilon; 0 where that is not known.
double beyond_odds(const Promise&);

double guess(const Promise&);
// Largest odds, from even odds, of a conclusion about one row: e^epsilon, up to delta.
double odds(const Promise&);
// The promise for `rows` rows that are replaced together; of a Gaussian one only.
Promise for_group(const Promise&, double rows);
// The promise of `runs` runs like this one on the same rows.
Promise for_runs(const Promise&, double runs);

}  // namespace tailcoat::report
