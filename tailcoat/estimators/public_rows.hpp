// What rows that are public say of the columns, so that nothing has to be paid to find it out: last year's published
// file, say, or a sample of people who agreed.
#pragma once

#include "tailcoat/estimators/fit.hpp"

namespace tailcoat {

// Adds exact sketches of the number columns to the options, and the texts that occur as levels of text columns for
// which none are given. Columns of which the options know something already stay as they are.
Result<void> learn_from_public(const Table& rows, FitOptions& options);

}  // namespace tailcoat
