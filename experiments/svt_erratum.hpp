// svt-erratum: the published Algorithm 7 redraws its threshold after each clip, and is then not private: whether the
// threshold after the differing record is fresh depends on that record. The study runs one phase of it, as published
// and as corrected (one threshold for the whole phase), on two neighbouring data sets:
//   c - headroom huge gradients, `block` gradients of norm C, the differing record (huge in D, zero in D'), `block`
//   more of norm C, zeros.
// Losses are linear, so gradients do not depend on the iterate and a run is its count of clips. Only here does the
// published form exist.
#pragma once

#include <cstdint>
#include <vector>

#include "experiments/study.hpp"

namespace tailcoat::experiments {

enum class SvtForm { published, corrected };
enum class SvtWorld { with_record, without_record };  // D and D'

struct SvtInstance {
  double epsilon = 0.99;
  double delta = 1e-6;      // claimed
  std::size_t rows = 8192;  // n_i of the phase
  double clips = 6184;      // c of Theorem 3 at d = 1
  int headroom = 14;
  int block = 60;
};

// P[the phase does not halt]: hits in `runs` simulations, and exactly (without the cuts of the noise, which change it
// by less than svt_truncation).
std::uint64_t simulate_no_halt(const SvtInstance&, SvtForm, SvtWorld, std::uint64_t runs, std::uint64_t seed);
double exact_no_halt(const SvtInstance&, SvtForm, SvtWorld);
double svt_truncation(const SvtInstance&);

// The least delta for which probabilities p and q of one event, and of its complement, are (epsilon, delta)-close.
double least_delta(double p, double q, double epsilon);

Result<Report> svt_erratum(const StudyContext&);

}  // namespace tailcoat::experiments
