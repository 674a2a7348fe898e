// RowEncoder: the features of a model, compiled against the columns of a table or a source, so that a row of cells
// becomes a row of feature values in the units of the file. Fitting and predicting both go through it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "tailcoat/base/result.hpp"
#include "tailcoat/data/column.hpp"
#include "tailcoat/estimators/feature.hpp"

namespace tailcoat {

// What a file must have to be encoded: every column once, in order of the features, and which of them are texts.
struct NeededColumns {
  std::vector<std::string> all;
  std::vector<std::string> texts;
};
NeededColumns needed_columns(std::span<const Feature>);

class RowEncoder {
 public:
  // A usage error names a feature that is no feature, appears twice, or whose column is missing or of the other kind.
  // The columns must outlive the encoder and stay in place; their levels may grow, as those of a source do.
  static Result<RowEncoder> create(std::span<const Feature> features, std::span<const Column> columns);

  // `cells` is one row of the columns, `values` takes one number per feature. A text that is no level of any feature
  // is treated as a missing one: as another level, if there is a feature for that, or as the average row. Not for
  // several threads at once: give each a copy.
  void encode(std::span<const double> cells, std::span<double> values) {
    for (const Number& number : numbers_) values[number.feature] = number.of(cells[number.column]);
    for (const Beyond& beyond : beyond_) values[beyond.feature] = beyond.rule.of_number(cells[beyond.column]);
    for (const Nonzero& nonzero : nonzero_) values[nonzero.feature] = nonzero.of(cells[nonzero.column]);
    for (const Missing& missing : missing_)
      values[missing.feature] = cells[missing.column] != cells[missing.column] ? 1 : 0;
    for (Texts& texts : texts_) encode_text(texts, cells, values);
  }

  [[nodiscard]] std::size_t features() const { return features_; }

 private:
  struct Number {
    std::size_t column, feature;
    double centre, low, high;

    [[nodiscard]] double of(double cell) const {
      const double cut = cell < low ? low : (cell > high ? high : cell);
      return cell != cell ? centre : cut;
    }
  };
  struct Beyond {
    std::size_t column, feature;
    Feature rule;
  };
  struct Nonzero {
    std::size_t column, feature;
    double centre;

    [[nodiscard]] double of(double cell) const { return cell != cell ? centre : (cell != 0 ? 1 : 0); }
  };
  struct Missing {
    std::size_t column, feature;
  };
  struct Level {
    std::size_t feature;
    double centre;
  };
  static constexpr std::uint32_t kUnknown = 0xffffffff;
  // The features of one text column.
  struct Texts {
    std::size_t column;
    std::vector<Level> levels;
    std::unordered_map<std::string, std::uint32_t> known;  // text -> place in `levels`
    std::vector<std::uint32_t> place_of;                   // the same by the index that the column gives a text
    std::uint32_t none;                                    // the place of a text that is no level; kUnknown: the centre
  };

  RowEncoder(std::span<const Column> columns, std::size_t features) : columns_(columns), features_(features) {}
  Result<void> add(const Feature& feature, std::size_t place);
  void encode_text(Texts& texts, std::span<const double> cells, std::span<double> values) const;
  [[nodiscard]] std::uint32_t place(Texts& texts, double cell) const;

  std::span<const Column> columns_;
  std::size_t features_;
  std::vector<Number> numbers_;
  std::vector<Beyond> beyond_;
  std::vector<Nonzero> nonzero_;
  std::vector<Missing> missing_;
  std::vector<Texts> texts_;
};

}  // namespace tailcoat
