// Engine: the one interface through which mechanisms and algorithms touch rows. Data goes in, sensitive sums come out;
// the engine adds no noise and decides nothing. Every sum is over integers, so its bits do not depend on the number of
// threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "tailcoat/base/result.hpp"
#include "tailcoat/data/rows.hpp"
#include "tailcoat/engine/lattice.hpp"
#include "tailcoat/losses/loss.hpp"
#include "tailcoat/privacy/sensitive.hpp"

namespace tailcoat {

class Workers;

// Rows with their norms, computed once. A view: the numbers stay where they are, must outlive it and must not change.
// Size is public.
class RowData {
 public:
  [[nodiscard]] std::size_t rows() const { return rows_; }
  [[nodiscard]] std::size_t dimension() const { return dimension_; }

 private:
  friend class Engine;
  struct Contents {
    Rows features;
    std::vector<double> inverse_norms;  // 0 for a row that cannot contribute: zero, not finite, or of a squared norm
                                        // beyond the range of double (norms below 1e-144 sqrt(d) or above 1e154)
  };
  RowData(Contents contents, std::size_t rows, std::size_t dimension)
      : contents_(std::move(contents)), rows_(rows), dimension_(dimension) {}

  Sensitive<Contents> contents_;
  std::size_t rows_, dimension_;
};

// Rows with a label each.
class LabelledData {
 public:
  [[nodiscard]] std::size_t rows() const { return features_.rows(); }
  [[nodiscard]] std::size_t dimension() const { return features_.dimension(); }
  [[nodiscard]] const RowData& features() const { return features_; }

 private:
  friend class Engine;
  LabelledData(RowData features, std::span<const double> labels) : features_(std::move(features)), labels_(labels) {}

  RowData features_;
  Sensitive<std::span<const double>> labels_;
};

// The gradient of sample `row` at x, for losses that are no GLM. Called from several threads at once. What it throws
// ends the sum with an Error that carries the message; such a message may depend on the data and is not private.
using SampleGradient = std::function<void(std::size_t row, std::span<const double> x, std::span<double> gradient)>;

class Engine {
 public:
  // 0 threads: one per core. Fewer than asked for, where the system gives no more.
  explicit Engine(std::size_t threads = 0);
  ~Engine();
  Engine(Engine&&) noexcept;
  Engine& operator=(Engine&&) noexcept;

  [[nodiscard]] std::size_t threads() const;

  // Refuse n = 0 and d = 0. Rows with a value that is not finite are kept and contribute nothing.
  Result<RowData> load(Rows features);
  Result<LabelledData> load(Rows features, std::span<const double> labels);

  // sum_i clip(grad f_i(x)), one fused read of the rows. A row whose label or margin is not finite contributes nothing.
  Result<SensitiveSum> clipped_gradient_sum(const LabelledData& data, const Loss& loss, std::span<const double> x,
                                            const ClipLattice& lattice);
  // The same for a loss of the user's own over `rows` samples. A gradient that is not finite contributes nothing.
  Result<SensitiveSum> clipped_gradient_sum(std::size_t rows, const SampleGradient& gradient, std::span<const double> x,
                                            const ClipLattice& lattice);
  // sum_i clip(a_i): the clipped mean.
  Result<SensitiveSum> clipped_row_sum(const RowData& data, const ClipLattice& lattice);
  // For each column, how many values are below `lower` or above `upper`; infinite bounds are never passed. A missing
  // value (NaN) is not counted.
  Result<SensitiveSum> counts_outside(const RowData& data, std::span<const double> lower, std::span<const double> upper,
                                      Gdp cost);
  // sum_i clip(a_i) clip(a_i)^T, packed upper triangle by rows, off-diagonal entries times sqrt(2) so that the packed
  // norm is the Frobenius norm; clip to norm `radius`.
  Result<SensitiveSum> second_moment_sum(const RowData& data, double radius, Gdp cost);

 private:
  std::unique_ptr<Workers> workers_;
};

}  // namespace tailcoat
