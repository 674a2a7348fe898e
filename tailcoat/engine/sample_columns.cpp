// One number per sample, as a column that mechanisms can count and sum: lengths of gradients, margins, differences of
// losses. Each depends on its own row alone; what is not finite becomes 0, of residuals a missing value.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <variant>

#include "tailcoat/base/checked.hpp"
#include "tailcoat/engine/engine.hpp"
#include "tailcoat/engine/exact_sum.hpp"
#include "tailcoat/engine/float_environment.hpp"
#include "tailcoat/engine/kernels.hpp"
#include "tailcoat/engine/pieces.hpp"
#include "tailcoat/engine/workers.hpp"
#include "tailcoat/privacy/sensitive_key.hpp"

namespace tailcoat {
namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

double finite_or(double x, double otherwise) { return std::isfinite(x) ? x : otherwise; }

double norm_of(std::span<const double> x) {
  double result = 0;
  for (const double part : x) result = std::hypot(result, part);
  return result;
}

Result<void> check_glm(const Samples& samples, const char* what) {
  if (samples.glm_loss() != nullptr) return {};
  return refusal(fmt::format("{} exist for GLMs only: a loss of the user's own has a gradient and no value", what));
}

std::size_t chunk_of(const Samples& samples, const Workers& workers) {
  return chunk_rows(samples.size(), samples.dimension() * sizeof(double), workers);
}

}  // namespace

// In a buffer, whose memory goes back to the system with the column.
template <class Fill>
Result<RowData> Engine::column(std::size_t rows, std::size_t chunk, const Fill& fill) {
  Buffer buffer;
  const auto bytes = checked_mul(rows, sizeof(double));
  if (!bytes) return usage_error(fmt::format("{} samples are more than memory can hold", rows));
  TAILCOAT_CHECK(buffer.resize(*bytes));
  auto* const values = reinterpret_cast<double*>(buffer.data());
  const auto thrown = workers_->for_each_chunk(
      rows, chunk, [&](std::size_t, std::size_t begin, std::size_t end) { fill(begin, end, values); });
  if (thrown) return error_of(thrown);
  return RowData({.features = RowsOf<double>{values, rows, 1, 1}, .inverse_norms = {}, .owned = std::move(buffer)},
                 rows, 1);
}

// values[i] = number(loss, row i of the samples, label, weight, inverse norm), for all i, if that is finite.
template <class Number>
Result<RowData> Engine::glm_column(const Samples& samples, const Number& number, double otherwise) {
  const PieceSource source = pieces_of(samples);
  const auto filled = [&](const auto& loss) {
    return column(samples.size(), chunk_of(samples, *workers_),
                  [&](std::size_t begin, std::size_t end, double* values) {
                    for_each_piece(source, begin, end, [&](const auto& piece, std::size_t first) {
                      for (std::size_t i = 0; i < piece.rows.rows; ++i) {
                        const double weight = piece.weights == nullptr ? 1 : usable_weight(piece.weights[i]);
                        const auto* row = piece.rows.data + i * piece.rows.stride;
                        values[first + i] =
                            finite_or(number(loss, row, piece.labels[i], weight, piece.inverse_norms[i]), otherwise);
                      }
                    });
                  });
  };
  return std::visit(filled, samples.loss_);
}

Result<RowData> Engine::gradient_norms(const Samples& samples, std::span<const double> x) try {
  TAILCOAT_CHECK(check_samples(samples, x));
  if (samples.glm_loss() != nullptr) {
    const AlignedVector at = padded_copy(x);
    return glm_column(samples, [&](const auto& loss, const auto* row, double label, double weight, double inverse) {
      const double margin = row_margin(row, at.data(), x.size());
      if (inverse == 0 || !std::isfinite(margin) || !std::isfinite(label)) return 0.0;
      return weight * std::abs(loss.derivative(margin, label)) / inverse;
    });
  }
  return column(samples.size(), chunk_of(samples, *workers_), [&](std::size_t begin, std::size_t end, double* norms) {
    std::vector<double> gradient(x.size());
    for (std::size_t i = begin; i < end; ++i) {
      std::ranges::fill(gradient, 0.0);
      samples.functions()->gradient(samples.first_ + i, x, gradient);
      const DefaultFloatEnvironment environment;  // a callback may have changed it
      norms[i] = finite_or(norm_of(gradient), 0);
    }
  });
} catch (...) {
  return error_of(std::current_exception());
}

Result<RowData> Engine::margins(const Samples& samples, std::span<const double> x) try {
  TAILCOAT_CHECK(check_glm(samples, "margins"));
  TAILCOAT_CHECK(check_samples(samples, x));
  const AlignedVector at = padded_copy(x);
  return glm_column(samples, [&](const auto&, const auto* row, double, double, double) {
    return row_margin(row, at.data(), x.size());
  });
} catch (...) {
  return error_of(std::current_exception());
}

Result<RowData> Engine::residuals(const Samples& samples, std::span<const double> x) try {
  TAILCOAT_CHECK(check_glm(samples, "residuals"));
  TAILCOAT_CHECK(check_samples(samples, x));
  const AlignedVector at = padded_copy(x);
  return glm_column(
      samples,
      [&](const auto&, const auto* row, double label, double, double) {
        return label - row_margin(row, at.data(), x.size());
      },
      kMissing);
} catch (...) {
  return error_of(std::current_exception());
}

Result<RowData> Engine::loss_differences(const Samples& samples, std::span<const double> x,
                                         std::span<const double> y) try {
  if (!samples.has_values())
    return refusal("differences of losses need the value of a loss of the user's own: give it");
  TAILCOAT_CHECK(check_samples(samples, x));
  TAILCOAT_CHECK(check_samples(samples, y));
  if (const SampleFunctions* functions = samples.functions()) {
    return column(
        samples.size(), chunk_of(samples, *workers_), [&](std::size_t begin, std::size_t end, double* values) {
          for (std::size_t i = begin; i < end; ++i) {
            const double at_x = functions->value(samples.first_ + i, x), at_y = functions->value(samples.first_ + i, y);
            const DefaultFloatEnvironment environment;  // a callback may have changed it
            values[i] = finite_or(at_x - at_y, 0);
          }
        });
  }
  const AlignedVector at = padded_copy(x), other = padded_copy(y);
  return glm_column(samples, [&](const auto& loss, const auto* row, double label, double weight, double) {
    const double t = row_margin(row, at.data(), x.size()), u = row_margin(row, other.data(), x.size());
    if (!(std::isfinite(t) && std::isfinite(u) && std::isfinite(label))) return 0.0;
    return weight * (loss.value(t, label) - loss.value(u, label));
  });
} catch (...) {
  return error_of(std::current_exception());
}

}  // namespace tailcoat
