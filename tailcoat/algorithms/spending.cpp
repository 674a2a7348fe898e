#include "tailcoat/algorithms/spending.hpp"

#include <fmt/format.h>

namespace tailcoat {
namespace {

Spent spent_of(const Budget& budget) {
  if (const auto* approximate = std::get_if<ApproxDp>(&budget))
    return {.epsilon = approximate->epsilon, .delta = approximate->delta};
  if (const auto* pure = std::get_if<PureDp>(&budget)) return {.epsilon = pure->epsilon};
  return {.mu = std::get<Gdp>(budget).mu};
}

std::string text_of(const Spent& spent) {
  if (spent.mu > 0) return fmt::format("mu = {:g}", spent.mu);
  return fmt::format("epsilon = {:g}, delta = {:g}", spent.epsilon, spent.delta);
}

}  // namespace

Error SpendingWatch::with_cost(Error error) const {
  error.spent = spent_of(budget_);
  error.message +=
      fmt::format("; something was released before that: the whole budget, {}, counts as spent", text_of(*error.spent));
  return error;
}

}  // namespace tailcoat
