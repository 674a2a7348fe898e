#include <fmt/format.h>

#include "experiments/baselines.hpp"
#include "experiments/counterexamples.hpp"
#include "experiments/paper_vs_tight.hpp"
#include "experiments/rates.hpp"
#include "experiments/study.hpp"
#include "experiments/svt_erratum.hpp"

namespace tailcoat::experiments {
namespace {

constexpr Study kStudies[] = {
    {"rates", "excess risk against rows: slopes next to the theory's, bounds", rates},
    {"paper-vs-tight", "the paper's constants and those without its slack", paper_vs_tight},
    {"baselines", "all algorithms on the same data", baselines},
    {"svt-erratum", "the published Algorithm 7 is not private, the corrected one is", svt_erratum},
    {"counterexamples", "Appendices B and C as numbers", counterexamples},
};

}  // namespace

std::span<const Study> studies() { return kStudies; }

Result<Study> find_study(std::string_view name) {
  std::string names;
  for (const Study& study : kStudies) {
    if (study.name == name) return study;
    names += fmt::format("{}{}", names.empty() ? "" : ", ", study.name);
  }
  return usage_error(fmt::format("there is no experiment '{}'; there are {}", name, names));
}

}  // namespace tailcoat::experiments
