// Phases of gradient steps guarded by a sparse vector test (Algorithm 7, corrected: erratum E2). A noisy test of each
// gradient's length against one noisy threshold decides whether to clip it; a phase in which too many are clipped
// halts, any other releases the average of its iterates with Gaussian noise. One record is in one phase. Proof:
// svt_pass.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "tailcoat/base/result.hpp"
#include "tailcoat/engine/engine.hpp"
#include "tailcoat/mechanisms/outlet.hpp"
#include "tailcoat/noise/laplace.hpp"
#include "tailcoat/privacy/event.hpp"
#include "tailcoat/privacy/guarantees.hpp"

namespace tailcoat {

struct SvtPhase {
  std::size_t rows;
  double step;
  double clip;        // length of a clipped gradient
  double longest;     // of a gradient that is not clipped, >= clip
  double smoothness;  // of every sample
  // Lengths are compared with this plus noise; lowered to what `longest` leaves room for.
  double threshold = std::numeric_limits<double>::infinity();
  std::int64_t cutoff;        // the phase halts when that many gradients, plus noise, were clipped
  std::int64_t cutoff_bound;  // of the noise on the cutoff
  double least_drift = 0;     // scales the noise on lengths, where it is above what is proven
};

// Where epsilon goes, the rest being for the Gaussian noise, and the chances that noise would be beyond its bounds, if
// it had none.
struct SvtBudget {
  double epsilon;
  double for_threshold, for_queries, for_cutoff;
  double threshold_tail, query_tail;  // of a phase
  Gdp noise;
};

// The noise of a phase, in units of the lattice on which lengths are compared.
struct SvtNoise {
  double unit;
  double threshold_scale, query_scale, cutoff_scale;
  std::int64_t threshold, threshold_bound, query_bound;
  double delta;  // of the phase, at budget.epsilon

  // A gradient that is shorter is never clipped.
  [[nodiscard]] double shortest_clipped() const {
    return static_cast<double>(threshold - threshold_bound - query_bound - 1) * unit;
  }
};

// From public numbers. Refused where the noise leaves no room below `longest`: the smoothness is then too large.
Result<SvtNoise> svt_noise(const Samples& fresh, const Domain&, const SvtPhase&, const SvtBudget&);

// The delta of a phase at budget.epsilon, whatever the samples and the domain are.
double svt_delta(const SvtPhase&, const SvtBudget&);

class SvtPasses {
 public:
  // What to reserve with the meter before the data is read: all phases, on blocks of rows in their order.
  static Result<Event> price(const Samples&, const Domain&, const std::vector<SvtPhase>&, const SvtBudget&);

  // Charges the whole price at once.
  static Result<SvtPasses> start(const Samples&, const Domain&, std::vector<SvtPhase>, const SvtBudget&, Outlet);

  // The next phase, from `start`: its noisy average less the start, or nothing if it halted. Another may follow.
  Result<std::optional<std::vector<double>>> next(Engine&, std::span<const double> start);

 private:
  struct Plan {
    Samples samples;
    Domain domain;
    std::vector<SvtPhase> phases;
    std::vector<SvtNoise> noises;
    Gdp cost;
    DiscreteLaplace threshold_law, cutoff_law;
  };
  SvtPasses(Plan plan, BitSource& noise) : plan_(std::move(plan)), noise_(&noise) {}

  Plan plan_;
  BitSource* noise_;
  std::size_t next_ = 0, first_row_ = 0;
};

}  // namespace tailcoat
