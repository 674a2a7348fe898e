// Design: the rows of a frame as the descent sees them: standardised features and a constant 1, multiplied with a
// matrix, in floats, with a label and a weight each. A pass makes the rows it needs, unless they are kept: the same
// bits. Rows with large features weigh less, so that none has more than a bounded say in the curvature (adaptive.md).
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tailcoat/base/result.hpp"
#include "tailcoat/data/buffer.hpp"
#include "tailcoat/data/frame.hpp"
#include "tailcoat/engine/engine.hpp"
#include "tailcoat/estimators/feature.hpp"
#include "tailcoat/estimators/recipe.hpp"

namespace tailcoat {

struct DesignColumns {
  std::vector<Feature> features;
  std::vector<std::size_t> fitted;  // those of them that become columns
  std::string target;
  std::string exposure{};  // empty: none
};

// The label that a cell of the target becomes: (cell - centre) / scale, at least `lowest`, or what is said of its
// level.
struct LabelRule {
  double centre = 0, scale = 1;
  double lowest = -std::numeric_limits<double>::infinity();
  std::vector<double> of_level{};  // not empty: for a target of texts
  bool per_exposure = false;       // divided by the exposure

  [[nodiscard]] double of(double cell) const {
    if (of_level.empty()) return std::max((cell - centre) / scale, lowest);  // NaN stays
    const std::size_t level = level_of(cell, of_level.size());
    return level < of_level.size() ? of_level[level] : std::numeric_limits<double>::quiet_NaN();
  }
};

// Of all cells of a column.
Result<std::vector<double>> labels_of(const Rows& column, const LabelRule& rule);

class Design final : public RowMaker {
 public:
  // Rows beyond a norm of `leverage` sqrt(columns) weigh less. The matrix is the identity. The frame's numbers must
  // outlive the design.
  static Result<Design> create(const Frame& frame, const DesignColumns& columns, double leverage);

  [[nodiscard]] std::size_t rows() const override { return row_count(cells_); }
  [[nodiscard]] std::size_t columns() const override { return recipe_.outputs; }
  [[nodiscard]] std::size_t scratch_bytes() const override { return recipe_.scratch_bytes(); }
  [[nodiscard]] RowsOf<float> make(std::size_t begin, std::size_t end, const RowSpace& space) const noexcept override;

  [[nodiscard]] std::optional<RowsOf<float>> kept() const override { return kept_; }

  [[nodiscard]] double radius() const { return radius_; }  // weight * |row|^2 is at most its square, before the matrix
  [[nodiscard]] const Rows& targets() const { return target_; }      // as they are in the file
  [[nodiscard]] const Rows& exposures() const { return exposure_; }  // no rows if there is no such column

  void set_labels(LabelRule rule) { labels_ = std::move(rule); }
  // A row becomes the sum of the lines of the matrix times its entries, of which the last is 1. As many columns as a
  // line has numbers.
  void set_matrix(std::span<const double> matrix);

  // The labels of rows from `begin` on; and their weights, in place of squared norms that beyond `radius` weigh less.
  void label(std::size_t begin, std::span<double> labels) const;
  void weigh(std::size_t begin, std::span<double> squares, double radius) const;

  // Makes all rows now, for all passes to come. In the memory of the frame's cells, which is overwritten, where they
  // fit; without it, in memory of its own, and only if a row takes so much arithmetic that reading it is far faster.
  // The matrix stays as it is from then on.
  Result<void> keep(Engine& engine, Buffer* cells);

 private:
  struct LevelOutput {
    std::size_t output;  // the entry of a row; entries_: none, a reference level
    double centre, factor;
  };

  friend class CurveRows;  // the margins are data, and stay in its rows

  Design() = default;
  // <row, x> of all rows.
  Result<std::vector<float>> margins(Engine& engine, std::span<const double> x) const;
  void add_texts(const Frame& frame, const DesignColumns& wanted);
  [[nodiscard]] bool fits_cells() const;
  [[nodiscard]] bool is_wide() const;
  Result<void> keep_at(Engine& engine, float* rows, std::size_t stride);
  // take(first row, rows, weights), chunk by chunk, on all threads.
  template <class Take>
  Result<void> for_each_chunk(Engine& engine, const Take& take) const;

  Rows cells_, target_, exposure_;
  double radius_ = 0;
  Recipe recipe_;
  std::size_t entries_ = 0, lines_ = 0;           // of a row before the matrix; of the recipe
  std::vector<std::size_t> output_of_;            // by input, the entry; entries_: there is none
  std::vector<std::vector<LevelOutput>> levels_;  // by text column
  LabelRule labels_;
  std::optional<RowsOf<float>> kept_;                  // none: rows are made
  std::vector<double> weights_, targets_, exposures_;  // of kept rows, as their cells may be gone
  Buffer own_;
};

}  // namespace tailcoat
