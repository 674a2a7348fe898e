// The algorithms by name: what `plan`, `experiment` and `fit` choose from.
#pragma once

#include <functional>
#include <span>
#include <string_view>

#include "tailcoat/algorithms/needs.hpp"

namespace tailcoat {

struct Algorithm {
  std::string_view name;       // "implicit-glm"
  std::string_view reference;  // where it is from: "Theorem 4", "ours"
  Needs needs;                 // checked first, by both of the following

  // From public numbers: bound and work, or why it cannot run.
  [[nodiscard]] Result<Forecast> plan(const Setting&, const Budget&, const Options&) const;
  // An error says what has been spent on the run, if anything (Error::spent).
  [[nodiscard]] Result<Solution> solve(RunContext, const Problem&, const Moments&, const Budget&, const Options&) const;

  Result<Forecast> (*planner)(const Setting&, const Budget&, const Options&);
  Result<Solution> (*solver)(RunContext, const Problem&, const Moments&, const Budget&, const Options&);
};

// In the order of the paper, then ours, then baselines.
std::span<const Algorithm> algorithms();
// The error lists the names there are.
Result<Algorithm> find_algorithm(std::string_view name);

}  // namespace tailcoat
