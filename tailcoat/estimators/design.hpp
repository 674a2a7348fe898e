// Design: the rows of a table as the descent sees them: standardised features and a constant 1, in floats, with a label
// and a weight each. It is made in the memory of the table where that has room. Rows with large features weigh less, so
// that none has more than a bounded say in the curvature (adaptive.md, "Leverage").
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "tailcoat/base/result.hpp"
#include "tailcoat/data/table.hpp"
#include "tailcoat/engine/engine.hpp"
#include "tailcoat/estimators/feature.hpp"

namespace tailcoat {

struct DesignColumns {
  std::vector<Feature> features;
  std::vector<std::size_t> fitted;  // those of them that become columns
  std::string target;
  std::string exposure{};  // empty: none
};

class Design {
 public:
  // Labels and exposures are in the units of the file. Rows beyond a norm of `leverage` sqrt(columns) weigh less.
  static Result<Design> create(Table table, const DesignColumns& columns, double leverage);

  [[nodiscard]] std::size_t rows() const { return labels_.size(); }
  [[nodiscard]] std::size_t columns() const { return columns_; }
  [[nodiscard]] double radius() const { return radius_; }  // weight * |row|^2 is at most its square
  [[nodiscard]] RowsOf<float> view() const;
  std::vector<double>& labels() { return labels_; }
  std::vector<double>& weights() { return weights_; }                  // of leverage, times the exposure
  const std::vector<double>& exposures() const { return exposures_; }  // none if there is no such column

  // a <- matrix a for each row; the matrix is square and symmetric.
  Result<void> transform(Engine& engine, std::span<const double> matrix);

 private:
  Design(std::size_t columns, double radius) : columns_(columns), radius_(radius) {}

  std::size_t columns_;
  double radius_;
  Buffer matrix_;
  std::vector<double> labels_, weights_, exposures_;
};

}  // namespace tailcoat
