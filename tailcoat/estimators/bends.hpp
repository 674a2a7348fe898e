// Bends: numbers whose slope is not the same below and above the middle of their column. Which ones is read off one
// released derivative, at the constant model, along a kink in each of them. Rules and proof: adaptive.md.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "tailcoat/estimators/feature_choice.hpp"
#include "tailcoat/estimators/target.hpp"

namespace tailcoat {

// Rows of the halves of the candidates, for found_bends().
Result<Design> rows_of_halves(const Frame&, const FitOptions&, std::span<const Candidate>, double leverage);

// Which of the candidates bend, the clearest first. The rows have their labels.
Result<std::vector<std::size_t>> found_bends(const Design& rows, std::span<const Candidate>, const Loss&, const Start&,
                                             Gdp cost, RunContext, Outlet);

// A number becomes its halves.
void bend(std::vector<Feature>& features, std::vector<std::size_t>& fitted, const Candidate& candidate);

}  // namespace tailcoat
