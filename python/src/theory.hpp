// What theorems need to know, from Python.
#pragma once

#include <string>
#include <tuple>

#include "bindings.hpp"
#include "tailcoat/algorithms/problem.hpp"

namespace tailcoat::python {

using MomentTuple = std::tuple<double, double, double>;  // k, G2, Gk

inline Moments moments_of(const MomentTuple& moments) {
  return {.k = std::get<0>(moments), .g2 = std::get<1>(moments), .gk = std::get<2>(moments)};
}

// Refuses numbers out of range, and constants that are neither tight nor paper.
Options options_of(const std::string& constants, double failure_probability, double max_passes);

}  // namespace tailcoat::python
