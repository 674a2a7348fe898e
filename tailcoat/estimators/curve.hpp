// The curve of a fit: whether what its features say counts more, or less, where predictions are above their middle than
// where they are below it. A fit of three numbers, level, slope and bend, to the margins of another one. Rules and
// derivation: adaptive.md, "The curve".
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "tailcoat/estimators/descent.hpp"
#include "tailcoat/estimators/design.hpp"
#include "tailcoat/estimators/target.hpp"
#include "tailcoat/estimators/uncertainty.hpp"

namespace tailcoat {

// Rows of three entries, made of the margins that rows of a design have at some x: with z the margin less the middle of
// all, over their spread, these are |z| less its mean, over its deviation, z, and 1. Of normal margins their second
// moments are the identity. Multiplied with a matrix. Labels and exposures are those of the design, which must outlive
// them.
class CurveRows final : public RowMaker {
 public:
  static constexpr Eigen::Index kBend = 0, kSlope = 1, kLevel = 2;  // places of the entries

  static Result<std::unique_ptr<CurveRows>> create(const Design& design, std::span<const double> x, double middle,
                                                   double spread, Engine& engine);
  CurveRows(const Design& design, std::vector<float> margins, double middle, double spread);

  [[nodiscard]] std::size_t rows() const override { return margins_.size(); }
  [[nodiscard]] std::size_t columns() const override { return 3; }
  [[nodiscard]] RowsOf<float> make(std::size_t begin, std::size_t end, const RowSpace& space) const noexcept override;

  void whiten(Whitening whitening);
  void transform(const Eigen::Matrix3d& matrix) { matrix_ = matrix; }
  [[nodiscard]] const Whitening& whitening() const { return whitening_; }
  [[nodiscard]] double spread() const { return spread_; }
  // The coefficients of the entries with which the margin is what it was.
  [[nodiscard]] Eigen::Vector3d straight() const { return {0, spread_, middle_}; }

 private:
  const Design* design_;
  std::vector<float> margins_;
  double middle_, spread_;
  Whitening whitening_;
  Eigen::Matrix3d matrix_;
};

// What was fitted to such rows.
struct CurvedFit {
  std::unique_ptr<CurveRows> rows;   // null: nothing shows, and the margins stay as they are
  std::optional<LabelledData> data;  // the rows, loaded
  Descent descent;
  Coefficients found;
};

// Of the margins that these coefficients give the rows of a design. The loss is the one that was asked for.
Result<CurvedFit> look_for_curve(const Design&, const Coefficients&, const Whitening&, const Loss&, const Start&,
                                 Gdp cost, RunContext, Outlet);

// Changes coefficients so that the margin has the average slope and the level of the curve, and returns the curve that
// is left to be applied to it.
Curve follow(const CurvedFit&, Coefficients&, Errors&, const Whitening&);

}  // namespace tailcoat
