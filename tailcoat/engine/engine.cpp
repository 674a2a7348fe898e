#include "tailcoat/engine/engine.hpp"

#include <fmt/format.h>

#include "tailcoat/base/checked.hpp"
#include "tailcoat/engine/exact_sum.hpp"
#include "tailcoat/engine/pieces.hpp"
#include "tailcoat/engine/workers.hpp"
#include "tailcoat/privacy/sensitive_key.hpp"

namespace tailcoat {
namespace {

// Columns of a maker's rows from which on their norms, a double each, are kept.
constexpr std::size_t kWorthNorms = 8;

template <class T>
Result<void> check_rows(const RowsOf<T>& rows) {
  if (rows.rows == 0) return data_error("the data has 0 rows; give at least one");
  if (rows.columns == 0) return data_error("the data has 0 columns; give at least one");
  if (rows.stride < rows.columns)
    return usage_error(fmt::format("stride = {} is below the number of columns, {}", rows.stride, rows.columns));
  const auto numbers = checked_mul(rows.rows, rows.stride);
  if (!numbers || !checked_mul(*numbers, sizeof(T)))
    return usage_error(fmt::format("{} rows of stride {} are more than memory can hold", rows.rows, rows.stride));
  if (rows.data == nullptr) return usage_error("rows without data: the pointer is null");
  return {};
}

template <class T>
Result<std::vector<double>> norms_of(const RowsOf<T>& rows, Workers& workers) try {
  std::vector<double> result(rows.rows);
  const auto thrown = workers.for_each_chunk(rows.rows, chunk_rows(rows, workers),
                                             [&](std::size_t, std::size_t begin, std::size_t end) {
                                               inverse_norms(part_of(rows, begin, end), result.data() + begin);
                                             });
  if (thrown) return error_of(thrown);
  return result;
} catch (...) {
  return error_of(std::current_exception());
}

}  // namespace

Engine::Engine(std::size_t threads, const std::atomic<bool>* stop)
    : workers_(std::make_unique<Workers>(threads, stop)) {}
Engine::~Engine() = default;
Engine::Engine(Engine&&) noexcept = default;
Engine& Engine::operator=(Engine&&) noexcept = default;

std::size_t Engine::threads() const { return workers_->count(); }

Result<RowData> Engine::load(Rows features) {
  TAILCOAT_CHECK(std::visit([](const auto& rows) { return check_rows(rows); }, features));
  TAILCOAT_TRY(norms, std::visit([&](const auto& rows) { return norms_of(rows, *workers_); }, features));
  return RowData({features, std::move(norms)}, row_count(features), column_count(features));
}

Result<LabelledData> Engine::load(Rows features, std::span<const double> labels) {
  if (labels.size() != row_count(features))
    return data_error(fmt::format("{} labels for {} rows; give one for each", labels.size(), row_count(features)));
  TAILCOAT_TRY(rows, load(features));
  return LabelledData(std::move(rows), labels);
}

Result<LabelledData> Engine::load(Rows features, std::span<const double> labels, std::span<const double> weights) {
  if (weights.size() != row_count(features))
    return data_error(fmt::format("{} weights for {} rows; give one for each", weights.size(), row_count(features)));
  TAILCOAT_TRY(data, load(features, labels));
  return LabelledData(std::move(data.features_), labels, weights);
}

Result<LabelledData> Engine::load(const RowMaker& maker) {
  if (maker.rows() == 0) return data_error("the data has 0 rows; give at least one");
  if (maker.columns() == 0) return data_error("the data has 0 columns; give at least one");
  RowData::Contents contents{.features = {}, .inverse_norms = {}, .maker = &maker};
  if (const auto kept = maker.kept(); kept && kept->columns >= kWorthNorms) {
    TAILCOAT_TRY(norms, norms_of(*kept, *workers_));
    contents.inverse_norms = std::move(norms);
  }
  return LabelledData(RowData(std::move(contents), maker.rows(), maker.columns()));
}

// The norm of a single number is no work: it is not kept.
Result<void> Engine::check_norms(const RowData& data) {
  if (data.made() || data.dimension() == 1 || !SensitiveKey::open(data.contents_).inverse_norms.empty()) return {};
  return usage_error("clipping needs the norms of the rows, which load_columns() leaves out; use load()");
}

Result<void> Engine::check_plain(const RowData& data, const char* what) {
  if (data.made())
    return usage_error(fmt::format("{} need rows that are kept in memory, these are made anew in each pass", what));
  if (SensitiveKey::open(data.contents_).apart.empty()) return {};
  return usage_error(fmt::format("{} need columns that are all in one place; load the one apart by itself", what));
}

PieceSource Engine::pieces_of(const RowData& data) {
  const RowData::Contents& contents = SensitiveKey::open(data.contents_);
  const std::vector<double>& norms = contents.inverse_norms;
  return {.maker = contents.maker, .kept = contents.features, .inverse_norms = norms.empty() ? nullptr : norms.data()};
}

PieceSource Engine::pieces_of(const Samples& samples) {
  PieceSource source = pieces_of(samples.data_->features_);
  source.labels = SensitiveKey::open(samples.data_->labels_).data();
  source.weights = SensitiveKey::open(samples.data_->weights_).data();
  source.first = samples.first_;
  return source;
}

Result<RowData> Engine::load_columns(Rows columns, std::span<const double> apart) {
  TAILCOAT_CHECK(std::visit([](const auto& rows) { return check_rows(rows); }, columns));
  if (!apart.empty() && apart.size() != row_count(columns))
    return data_error(fmt::format("{} numbers apart for {} rows; give one for each", apart.size(), row_count(columns)));
  return RowData({.features = columns, .inverse_norms = {}, .apart = apart}, row_count(columns),
                 column_count(columns) + (apart.empty() ? 0 : 1));
}

Result<void> Engine::for_each(std::size_t count, const std::function<Result<void>(std::size_t)>& job) try {
  std::vector<Result<void>> results(count);
  const auto thrown = workers_->for_each_chunk(count, 1, [&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) results[i] = job(i);
  });
  if (thrown) return error_of(thrown);
  for (const Result<void>& result : results) TAILCOAT_CHECK(result);
  return {};
} catch (...) {
  return error_of(std::current_exception());
}

}  // namespace tailcoat
