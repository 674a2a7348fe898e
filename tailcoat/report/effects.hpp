// The section "What the model says": a picture of the effects with their intervals, an example in words, and the table
// of all coefficients in the units of the file.
#pragma once

#include <string>

#include "tailcoat/estimators/fit.hpp"

namespace tailcoat::report {

inline constexpr std::size_t kMostDrawn = 40;      // features in a picture; the strongest
inline constexpr std::size_t kMostListed = 2000;   // rows of a table
inline constexpr std::size_t kMostNamed = 40;      // columns in a sentence
inline constexpr std::size_t kPanelsInSight = 12;  // classes; those after it fold

std::string effects_section(const Fit&);

// What the section shows below its picture: every coefficient of one part, folded.
std::string effect_table(const Fit&, std::size_t part, const std::vector<std::size_t>& order);
// Which levels the others are compared with, and what was left out, in short sentences; empty where there is neither.
std::string left_out_text(const Model&);

}  // namespace tailcoat::report
