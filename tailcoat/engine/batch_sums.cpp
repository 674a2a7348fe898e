#include "tailcoat/engine/batch_sums.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <variant>

#include "tailcoat/engine/engine.hpp"
#include "tailcoat/engine/exact_sum.hpp"
#include "tailcoat/engine/float_environment.hpp"
#include "tailcoat/engine/pieces.hpp"
#include "tailcoat/engine/sample_gradients.hpp"
#include "tailcoat/engine/workers.hpp"

namespace tailcoat {

using Batch = std::span<const std::uint32_t>;

class BatchSums::Rows {
 public:
  Rows(const ClipLattice& lattice, const Workers& workers)
      : clip_(clip_of(lattice)),
        sums_(lattice.dimension, lattice.clip_units),
        dimension_(lattice.dimension),
        workers_(workers) {
    most_ = std::min(kMaxBlockRows, sums_.most_terms() / kTileRows * kTileRows);
  }
  virtual ~Rows() = default;

  std::vector<std::int64_t> sum(std::span<const double> x, Batch batch) {
    workers_.check_stop();
    sums_.clear();  // of what a sum before has left that did not come to its end
    for (std::size_t first = 0; first < batch.size(); first += most_)
      add(x, batch.subspan(first, std::min(most_, batch.size() - first)));
    std::vector<std::int64_t> totals(x.size());
    sums_.move_to(totals);
    return totals;
  }
  virtual void prefetch(Batch batch) const = 0;
  [[nodiscard]] std::size_t dimension() const { return dimension_; }

 protected:
  virtual void add(std::span<const double> x, Batch batch) = 0;  // at most most_ rows

  Clip clip_;
  LatticeSums sums_;
  std::size_t most_;

 private:
  std::size_t dimension_;
  const Workers& workers_;
};

template <class T>
class BatchSums::GlmRows final : public Rows {
 public:
  GlmRows(const Piece<T>& piece, const Loss& loss, const ClipLattice& lattice, const Workers& workers)
      : Rows(lattice, workers), piece_(piece), loss_(loss), x_(padded(lattice.dimension)) {}

  void prefetch(Batch batch) const override {
    for (const std::uint32_t i : batch) {
      prefetch_row(row(i), piece_.rows.columns * sizeof(T));
      prefetch_row(piece_.labels + i, sizeof(double));
      prefetch_row(piece_.inverse_norms + i, sizeof(double));
    }
  }

 private:
  void add(std::span<const double> x, Batch batch) override {
    const DefaultFloatEnvironment environment;
    std::ranges::copy(x, x_.begin());
    for (std::size_t i = 0; i < batch.size(); ++i) {
      rows_[i] = row(batch[i]);
      labels_[i] = piece_.labels[batch[i]];
      norms_[i] = piece_.inverse_norms[batch[i]];
    }
    gathered_margins(std::span(rows_).first(batch.size()), x.size(), x_.data(), margins_.data());
    clipped_slopes(loss_, std::span(margins_).first(batch.size()), labels_.data(), norms_.data(), clip_, s_.data());
    ready_.gather(
        batch.size(), [&](std::size_t i) { return rows_[i]; }, s_.data());
    lattice_sweep({.columns = x.size()}, ready_, nullptr, nullptr, sums_.room_for(ready_.count));
  }

  [[nodiscard]] const T* row(std::uint32_t i) const { return piece_.rows.data + i * piece_.rows.stride; }

  Piece<T> piece_;
  Loss loss_;
  AlignedVector x_;
  std::array<const T*, kMaxBlockRows> rows_;
  std::array<double, kMaxBlockRows> labels_, norms_, margins_, s_;
  ReadyRows<T> ready_;
};

class BatchSums::FunctionRows final : public Rows {
 public:
  FunctionRows(const SampleFunctions& functions, std::size_t first, const ClipLattice& lattice, const Workers& workers)
      : Rows(lattice, workers),
        gradient_(functions.gradient_alone ? functions.gradient_alone : functions.gradient),
        first_(first),
        block_(lattice.dimension, kRowsAtOnce) {}

  void prefetch(Batch) const override {}  // only the callback knows where its rows are

 private:
  static constexpr std::size_t kRowsAtOnce = 16;

  void add(std::span<const double> x, Batch batch) override {
    for (std::size_t first = 0; first < batch.size(); first += kRowsAtOnce) {
      const Batch part = batch.subspan(first, std::min(kRowsAtOnce, batch.size() - first));
      block_.fill(gradient_, x, clip_, part.size(), [&](std::size_t i) { return first_ + part[i]; });
      const DefaultFloatEnvironment environment;
      add_block(block_.rows(), block_.scalars(), sums_);
    }
  }

  SampleGradient gradient_;
  std::size_t first_;
  GradientBlock block_;
};

BatchSums::BatchSums(std::unique_ptr<Rows> rows) : rows_(std::move(rows)) {}
BatchSums::BatchSums(BatchSums&&) noexcept = default;
BatchSums& BatchSums::operator=(BatchSums&&) noexcept = default;
BatchSums::~BatchSums() = default;

Result<Sensitive<std::vector<std::int64_t>>> BatchSums::at(std::span<const double> x, Batch batch) try {
  if (x.size() != rows_->dimension())
    return usage_error(fmt::format("a point of {} numbers for {} dimensions", x.size(), rows_->dimension()));
  return Sensitive(rows_->sum(x, batch));
} catch (...) {
  return error_of(std::current_exception());
}

void BatchSums::prefetch(Batch batch) const { rows_->prefetch(batch); }

Result<BatchSums> Engine::batch_sums(const Samples& samples, const ClipLattice& lattice) try {
  TAILCOAT_CHECK(check_samples(samples, std::vector<double>(samples.dimension())));
  TAILCOAT_CHECK(check(lattice, samples.dimension()));
  TAILCOAT_CHECK(check_unweighted(samples, "a sum over batches"));
  TAILCOAT_CHECK(check_exact_sum(samples.size(), lattice.clip_units));
  if (samples.size() > kMostBatchedSamples)
    return refusal(fmt::format("{} samples are more than {}, the most that batches are drawn from; use fewer",
                               samples.size(), kMostBatchedSamples));
  if (samples.glm_loss() == nullptr)
    return BatchSums(
        std::make_unique<BatchSums::FunctionRows>(*samples.functions(), samples.first_, lattice, *workers_));
  std::unique_ptr<BatchSums::Rows> rows;
  use_whole_piece(pieces_of(samples), 0, samples.size(), [&]<class T>(const Piece<T>& piece) {
    rows = std::make_unique<BatchSums::GlmRows<T>>(piece, samples.loss_, lattice, *workers_);
  });
  return BatchSums(std::move(rows));
} catch (...) {
  return error_of(std::current_exception());
}

}  // namespace tailcoat
