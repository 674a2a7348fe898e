#include <cmath>
#include <variant>

#include "tailcoat/engine/engine.hpp"
#include "tailcoat/engine/exact_sum.hpp"
#include "tailcoat/engine/float_environment.hpp"
#include "tailcoat/engine/kernels.hpp"
#include "tailcoat/engine/workers.hpp"
#include "tailcoat/privacy/sensitive_key.hpp"

namespace tailcoat {
namespace {

double finite_or_zero(double x) { return std::isfinite(x) ? x : 0; }

double norm_of(std::span<const double> x) {
  double result = 0;
  for (const double part : x) result = std::hypot(result, part);
  return result;
}

}  // namespace

Result<RowData> Engine::gradient_norms(const Samples& samples, std::span<const double> x) try {
  TAILCOAT_CHECK(check_samples(samples, x));
  std::vector<double> norms(samples.size());
  Workers::Job job;
  const AlignedVector x_copy = padded_copy(x);
  if (samples.glm_loss() != nullptr) {
    const auto& contents = SensitiveKey::open(samples.data_->features_.contents_);
    const double* labels = SensitiveKey::open(samples.data_->labels_).data();
    job = [&, labels](std::size_t, std::size_t begin, std::size_t end) {
      std::visit(
          [&](const auto& loss, const auto& rows) {
            for (std::size_t i = begin; i < end; ++i) {
              const std::size_t row = samples.first_ + i;
              const double inverse = contents.inverse_norms[row];
              if (inverse == 0) continue;
              const double margin = row_margin(rows.data + row * rows.stride, x_copy.data(), rows.columns);
              norms[i] = finite_or_zero(std::abs(loss.derivative(margin, labels[row])) / inverse);
            }
          },
          samples.loss_, contents.features);
    };
  } else {
    job = [&](std::size_t, std::size_t begin, std::size_t end) {
      std::vector<double> gradient(x.size());
      for (std::size_t i = begin; i < end; ++i) {
        std::ranges::fill(gradient, 0.0);
        samples.functions()->gradient(samples.first_ + i, x, gradient);
        const DefaultFloatEnvironment environment;  // a callback may have changed it
        norms[i] = finite_or_zero(norm_of(gradient));
      }
    };
  }
  const std::size_t chunk = chunk_rows(samples.size(), samples.dimension() * sizeof(double), *workers_);
  if (const auto thrown = workers_->for_each_chunk(samples.size(), chunk, job)) return error_of(thrown);
  TAILCOAT_TRY(column, load(RowsOf<double>{norms.data(), norms.size(), 1, 1}));
  RowData::Contents contents = SensitiveKey::take(std::move(column.contents_));
  contents.owned = std::move(norms);  // a moved vector keeps its memory: features still see it
  return RowData(std::move(contents), samples.size(), 1);
} catch (...) {
  return error_of(std::current_exception());
}

}  // namespace tailcoat
