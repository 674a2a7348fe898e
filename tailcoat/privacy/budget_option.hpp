// The delta of a budget that somebody wants to spend: what check_budget() accepts and what --help says.
#pragma once

#include "tailcoat/privacy/guarantees.hpp"

namespace tailcoat {

inline constexpr NumberOption kBudgetDeltaOption{
    .name = kDeltaOption.name, .meaning = kDeltaOption.meaning, .lowest = 0, .highest = 0.1, .open_below = true};

}  // namespace tailcoat
