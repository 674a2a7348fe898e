// The sections of the page besides the effects: each is one HTML element that stands by itself.
#pragma once

#include <string>

#include "tailcoat/estimators/fit.hpp"

namespace tailcoat::report {

// One plain sentence: how good the model is and what holds it back. HTML.
std::string verdict(const Fit&);
// "How far to trust it": sampling, noise and clipping, and the error at other budgets.
std::string accuracy_section(const Fit&);
// In place of both for a fit by a theorem: what its bound says, and what not.
std::string certificate_verdict(const Fit&);
std::string certificate_section(const Fit&);
// "How well it fits": residuals or predicted chances against what came true; empty where that was not measured.
std::string diagnosis_section(const Fit&);
// "What privacy was paid, and what that means".
std::string privacy_section(const Model&);
// "How the budget was spent".
std::string budget_section(const Receipt&);
// Its groups are named by the description up to its first comma or digit: "gradient, step 3" is a "gradient".
std::string kind_of_release(const std::string& what);

// The page's style sheet.
extern const char* const kStyle;

}  // namespace tailcoat::report
