// Engine: the one interface through which mechanisms and algorithms touch rows. Data goes in, sensitive sums come out;
// the engine adds no noise and decides nothing. Every sum is over integers, so its bits do not depend on the number of
// threads.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "tailcoat/base/result.hpp"
#include "tailcoat/data/rows.hpp"
#include "tailcoat/domains/domain.hpp"
#include "tailcoat/engine/batch_sums.hpp"
#include "tailcoat/engine/bin_grid.hpp"
#include "tailcoat/engine/guarded_pass.hpp"
#include "tailcoat/engine/lattice.hpp"
#include "tailcoat/engine/minimiser.hpp"
#include "tailcoat/engine/one_pass.hpp"
#include "tailcoat/engine/row_maker.hpp"
#include "tailcoat/engine/samples.hpp"

namespace tailcoat {

class Workers;
struct PieceSource;

class Engine {
 public:
  // 0 threads: one per core. Fewer than asked for, where the system gives no more. While `stop`, if there is one, is
  // set, whatever reads rows ends with a system error, soon, wherever it is.
  explicit Engine(std::size_t threads = 0, const std::atomic<bool>* stop = nullptr);
  ~Engine();
  Engine(Engine&&) noexcept;
  Engine& operator=(Engine&&) noexcept;

  [[nodiscard]] std::size_t threads() const;

  // Refuse n = 0 and d = 0. Rows with a value that is not finite are kept and contribute nothing.
  Result<RowData> load(Rows features);
  Result<LabelledData> load(Rows features, std::span<const double> labels);
  // The loss of a row counts `weight` times. A row whose weight is negative or not finite contributes nothing. Weights
  // are data, as the rows are; only sums of clipped gradients and columns made of samples take them into account, all
  // else refuses such samples.
  Result<LabelledData> load(Rows features, std::span<const double> labels, std::span<const double> weights);
  // Rows, labels and weights that are made anew in each pass, by a maker that must outlive the data. For sums of
  // clipped gradients, second moments and columns made of samples; all else refuses such data.
  Result<LabelledData> load(const RowMaker& maker);
  // Without a pass over the rows, and without their norms: for counts and histograms, and a single column also for
  // clipped sums. `apart`, if not empty, is one more column, for histograms and counts of levels only.
  Result<RowData> load_columns(Rows columns, std::span<const double> apart = {});

  // sum_i clip(grad f_i(x)). For a GLM one fused read of the rows. A row whose label or margin is not finite, and a
  // gradient of the user's own that is not, contribute nothing.
  Result<SensitiveSum> clipped_gradient_sum(const Samples& samples, std::span<const double> x,
                                            const ClipLattice& lattice);
  // The same sums over batches of samples, step after step. The rows must be in memory and have no weights; what the
  // samples and the engine are must outlive the sums.
  Result<BatchSums> batch_sums(const Samples& samples, const ClipLattice& lattice);
  // |grad f_i(x)| for each sample, as a column; 0 where it is not finite.
  Result<RowData> gradient_norms(const Samples& samples, std::span<const double> x);
  // <a_i, x> for each sample of a GLM, as a column, without weights; 0 where it is not finite.
  Result<RowData> margins(const Samples& samples, std::span<const double> x);
  // label_i - <a_i, x> for each sample of a GLM, as a column; missing (NaN) where it is not finite.
  Result<RowData> residuals(const Samples& samples, std::span<const double> x);
  // f_i(x) - f_i(y) for each sample, as a column; 0 where it, a margin or the label is not finite. A loss of the user's
  // own needs its value.
  Result<RowData> loss_differences(const Samples& samples, std::span<const double> x, std::span<const double> y);
  // For each coordinate the lower median, over `groups` groups of as many consecutive samples, of the group's sum of
  // gradients clipped to [-clip, clip] in each coordinate. A gradient that is not finite contributes nothing.
  Result<SensitiveSum> clipped_coordinate_medians(const Samples& samples, std::span<const double> x, double clip,
                                                  std::size_t groups, Gdp cost);
  // sum_i clip(a_i): the clipped mean.
  Result<SensitiveSum> clipped_row_sum(const RowData& data, const ClipLattice& lattice);
  // For each column, how many values are below `lower` or above `upper`; infinite bounds are never passed. A missing
  // value (NaN) is not counted.
  Result<SensitiveSum> counts_outside(const RowData& data, std::span<const double> lower, std::span<const double> upper,
                                      Gdp cost);
  // For each column, how many rows are in each bin of its grid: the counts of all bins, column after column.
  Result<SensitiveSum> histograms(const RowData& data, std::span<const BinGrid> grids, Gdp cost);
  // sum_i clip(a_i) clip(a_i)^T, packed upper triangle by rows, off-diagonal entries times sqrt(2) so that the packed
  // norm is the Frobenius norm; clip to norm `radius`.
  Result<SensitiveSum> second_moment_sum(const RowData& data, double radius, Gdp cost);
  // The same of clip(grad f_i(x)), clipped to norm `clip`; what contributes nothing is as in clipped_gradient_sum.
  Result<SensitiveSum> gradient_second_moment_sum(const Samples& samples, std::span<const double> x, double clip,
                                                  Gdp cost);
  // How many cells of a column are the whole number k, for k = 0, ..., levels - 1. For mechanisms, without noise or
  // price.
  Result<Sensitive<std::vector<std::int64_t>>> level_counts(const RowData& data, std::size_t column,
                                                            std::size_t levels);

  // The average of the iterates x_0 = start, ..., x_{n-1} of one step per sample, less the start. Sequential.
  Result<SensitiveSum> one_pass_average(const Samples& samples, const Domain& domain, std::span<const double> start,
                                        const OnePass& pass, Gdp cost);
  // The same for gradient steps, clipped where the guard says so. Its sensitivity holds between passes whose guards
  // decide alike but for one sample, and clip no more than most_clipped gradients.
  Result<SensitiveSum> guarded_average(const Samples& samples, const Domain& domain, std::span<const double> start,
                                       const GuardedPass& pass, const Guard& guard, Gdp cost);

  // The minimiser over the domain of the mean of the samples, (weight / 2) |x - centre|^2 and <tilt, x>, less the
  // centre, which must be in the domain. Sequential for a GLM.
  Result<SensitiveSum> minimiser(const Samples& samples, const Domain& domain, std::span<const double> centre,
                                 const Minimisation& problem, Gdp cost, const Tilt* tilt = nullptr);

  // job(0), ..., job(count - 1) on all threads, or the first error. Sums within a job run on its own thread.
  Result<void> for_each(std::size_t count, const std::function<Result<void>(std::size_t)>& job);

 private:
  static Result<void> check_norms(const RowData&);
  static Result<void> check_plain(const RowData&, const char* what);
  static PieceSource pieces_of(const RowData&);
  static PieceSource pieces_of(const Samples&);  // of a GLM
  // fill(begin, end, values) sets the values of rows [begin, end) of a column, on all threads.
  template <class Fill>
  Result<RowData> column(std::size_t rows, std::size_t chunk, const Fill& fill);
  template <class Number>
  Result<RowData> glm_column(const Samples&, const Number& number, double otherwise = 0);
  Result<SensitiveSum> glm_gradient_sum(const Samples&, std::span<const double> x, const ClipLattice&);
  std::unique_ptr<Workers> workers_;
};

}  // namespace tailcoat
