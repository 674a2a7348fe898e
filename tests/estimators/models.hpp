// Models and files for tests.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tailcoat/data/table.hpp"
#include "tailcoat/estimators/model.hpp"

namespace tailcoat {

// Squared loss, target "y", intercept 1.
inline Model linear_model(const std::vector<double>& coefficients, std::vector<Feature> features) {
  Model model{.loss = SquaredLoss{}, .target = "y", .features = std::move(features), .parts = {}, .receipt = {}};
  LinearPart part{.intercept = {.value = 1}, .coefficients = {}};
  for (const double value : coefficients) part.coefficients.push_back({.value = value});
  model.parts.push_back(part);
  return model;
}

inline Table table_of(std::vector<Column> columns, const std::vector<double>& cells) {
  auto table = Table::create(std::move(columns), Storage::f64);
  if (!table) stop_at(table.error());
  if (const auto added = table->append(cells); !added) stop_at(added.error());
  return std::move(*table);
}

}  // namespace tailcoat
