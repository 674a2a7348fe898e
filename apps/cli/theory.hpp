// What the theorems of the catalogue need to know, which `plan` and `fit --algorithm` ask for.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "tailcoat/algorithms/problem.hpp"

namespace tailcoat::cli {

struct TheoryArguments {
  std::optional<double> diameter, smoothness, strong_convexity, max_passes, failure_probability;
  std::string moments, constants = "tight";

  [[nodiscard]] bool given() const;
};
void add_theory_arguments(CLI::App&, TheoryArguments&);

struct Theory {
  double diameter;
  double smoothness;  // infinite if not given
  double strong_convexity;
  Moments moments;
  Options options;
};
Result<Theory> theory_of(const TheoryArguments&);

}  // namespace tailcoat::cli
