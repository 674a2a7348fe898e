// Samples: what an algorithm minimises the mean of: convex functions, one per row. A GLM over labelled rows, or a loss
// of the user's own. A view that is cheap to copy; what it is made of must outlive it.
#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "tailcoat/base/option.hpp"
#include "tailcoat/base/result.hpp"
#include "tailcoat/data/buffer.hpp"
#include "tailcoat/data/rows.hpp"
#include "tailcoat/engine/row_maker.hpp"
#include "tailcoat/losses/loss.hpp"
#include "tailcoat/privacy/sensitive.hpp"

namespace tailcoat {

// Rows with their norms, computed once where they are needed, or rows that are made anew in every pass. A view: the
// numbers stay where they are, must outlive it and must not change. Size is public.
class RowData {
 public:
  [[nodiscard]] std::size_t rows() const { return rows_; }
  [[nodiscard]] std::size_t dimension() const { return dimension_; }
  [[nodiscard]] bool made() const { return made_; }  // in every pass

 private:
  friend class Engine;
  struct Contents {
    Rows features;                      // none, if made
    std::vector<double> inverse_norms;  // none, if loaded without, made anew or a column; 0 for a row that cannot
                                        // contribute: zero, not finite, or of a squared norm beyond the range of double
                                        // (norms below 1e-144 sqrt(d) or above 1e154)
    Buffer owned{};                     // what features are a view of, if the engine has made them
    std::span<const double> apart{};    // one more column, the last, if not empty
    const RowMaker* maker = nullptr;    // null: not made
  };
  RowData(Contents contents, std::size_t rows, std::size_t dimension)
      : made_(contents.maker != nullptr), contents_(std::move(contents)), rows_(rows), dimension_(dimension) {}

  bool made_;
  Sensitive<Contents> contents_;
  std::size_t rows_, dimension_;
};

// Rows with a label each, and with a weight each if wanted.
class LabelledData {
 public:
  [[nodiscard]] std::size_t rows() const { return features_.rows(); }
  [[nodiscard]] std::size_t dimension() const { return features_.dimension(); }
  [[nodiscard]] const RowData& features() const { return features_; }
  [[nodiscard]] bool weighted() const { return weighted_; }

 private:
  friend class Engine;
  explicit LabelledData(RowData features, std::span<const double> labels = {}, std::span<const double> weights = {})
      : features_(std::move(features)),
        labels_(labels),
        weights_(weights),
        weighted_(!weights.empty() || features_.made()) {}

  RowData features_;
  Sensitive<std::span<const double>> labels_, weights_;  // no weights: 1 each; neither if they are made with the rows
  bool weighted_;
};

// The gradient of sample `row` at x. Called from several threads at once. What it throws ends the sum with an Error
// that carries the message; such a message may depend on the data and is not private.
using SampleGradient = std::function<void(std::size_t row, std::span<const double> x, std::span<double> gradient)>;

// The implicit step of sample `row` from x: the y in the domain that minimises f(y; row) + |y - x|^2 / (2 step).
using SampleStep = std::function<void(std::size_t row, std::span<const double> x, double step, std::span<double> y)>;

// f(x; row).
using SampleValue = std::function<double(std::size_t row, std::span<const double> x)>;

// A convex loss of the user's own.
struct SampleFunctions {
  SampleGradient gradient{};
  // For a gradient that is computed for several rows at a time, whose last bits may depend on what these are: the
  // gradient of a row by itself, for sums over batches that must stay secret (lattice.md, "Sums over batches").
  SampleGradient gradient_alone{};
  SampleValue value{};         // the loss itself, only for algorithms that say so
  SampleStep implicit_step{};  // only for algorithms that say so
  double step_error = 0;  // how far implicit_step may be from the exact minimiser, whatever the sample and the step
  // How far gradient may be from the exact one, relative to the longer of that and the clip (or Lipschitz constant). It
  // counts where privacy rests on gradients being those of a smooth convex function; 2^-34 is allowed for there in any
  // case, by `implicit` only 2^-48. Callbacks must be finite on all of the domain, for every sample that could be.
  double gradient_error = 0;
};

inline constexpr NumberOption kGradientErrorOption{
    .name = "gradient_error", .meaning = "relative error of a gradient", .lowest = 0, .highest = 0x1p-10};

class Samples {
 public:
  Samples(const LabelledData& data, Loss loss)
      : data_(&data), loss_(loss), dimension_(data.dimension()), count_(data.rows()) {}
  Samples(std::size_t count, std::size_t dimension, SampleFunctions functions)
      : functions_(std::make_shared<SampleFunctions>(std::move(functions))), dimension_(dimension), count_(count) {}

  [[nodiscard]] std::size_t size() const { return count_; }
  [[nodiscard]] std::size_t dimension() const { return dimension_; }
  // The loss of a GLM, none for a loss of the user's own.
  [[nodiscard]] const Loss* glm_loss() const { return data_ != nullptr ? &loss_ : nullptr; }
  [[nodiscard]] bool weighted() const { return data_ != nullptr && data_->weighted(); }
  [[nodiscard]] bool made() const { return data_ != nullptr && data_->features().made(); }
  [[nodiscard]] const SampleFunctions* functions() const { return functions_.get(); }
  [[nodiscard]] bool has_values() const { return functions_ == nullptr || functions_->value; }

  // Samples first, ..., first + count - 1, as a problem of their own. Blocks are chosen by public index.
  [[nodiscard]] Samples block(std::size_t first, std::size_t count) const;
  // The same samples with other functions; for losses of the user's own.
  [[nodiscard]] Samples with(SampleFunctions functions) const;

 private:
  friend class Engine;
  const LabelledData* data_ = nullptr;
  Loss loss_;
  std::shared_ptr<const SampleFunctions> functions_;
  std::size_t dimension_, first_ = 0, count_;
};

// Refuses no samples, dimension 0, a loss out of range, an empty gradient, and an x that is not finite or of another
// dimension.
Result<void> check_samples(const Samples& samples, std::span<const double> x);

// For what would ignore weights, or needs all rows in memory: refuses data that has them, or is made on the way.
Result<void> check_unweighted(const Samples& samples, const char* what);

// A weight as it counts: 0 unless it is a number >= 0 and finite.
inline double usable_weight(double weight) {
  return weight >= 0 && weight <= std::numeric_limits<double>::max() ? weight : 0;
}

}  // namespace tailcoat
