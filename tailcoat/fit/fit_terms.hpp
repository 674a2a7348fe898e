// fit_terms: a private linear or additive model of a table from nothing but a privacy budget. The stages and the values
// that flow between them: fit.md.
#pragma once

#include "tailcoat/estimators/fit.hpp"
#include "tailcoat/fit/terms_kind.hpp"

namespace tailcoat {

Result<Fit> fit_terms(const Frame&, const FitOptions&, TermsKind, RunContext, const Progress& = {});
// The same fit, faster: uses the memory of the table.
Result<Fit> fit_terms(Table table, const FitOptions&, TermsKind, RunContext, const Progress& = {});

}  // namespace tailcoat
