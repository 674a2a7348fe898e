#include "tailcoat/estimators/design.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <new>

#include "tailcoat/base/checked.hpp"
#include "tailcoat/estimators/encoder.hpp"

namespace tailcoat {
namespace {

struct Standard {
  std::size_t feature;
  double centre, inverse_scale;
};

// Reads row i of the table before row i of the design is written, which ends no later.
template <class T>
class CellReader {
 public:
  CellReader(const std::byte* matrix, std::size_t columns) : matrix_(matrix), raw_(columns), cells_(columns) {}

  std::span<const double> row(std::size_t i) {
    std::memcpy(raw_.data(), matrix_ + i * raw_.size() * sizeof(T), raw_.size() * sizeof(T));
    std::ranges::copy(raw_, cells_.begin());
    return cells_;
  }

 private:
  const std::byte* matrix_;
  std::vector<T> raw_;
  std::vector<double> cells_;
};

// row <- matrix^T row. Each row by itself, in an order of operations that is the same for all.
void multiply(const double* __restrict matrix, std::size_t size, double* __restrict product, float* __restrict row) {
  std::fill_n(product, size, 0.0);
  std::size_t j = 0;
  for (; j + 4 <= size; j += 4) {  // four at a time: fewer trips to the product
    const double a0 = row[j], a1 = row[j + 1], a2 = row[j + 2], a3 = row[j + 3];
    const double* const line = matrix + j * size;
    for (std::size_t k = 0; k < size; ++k)
      product[k] += (a0 * line[k] + a1 * line[size + k]) + (a2 * line[2 * size + k] + a3 * line[3 * size + k]);
  }
  for (; j < size; ++j)
    for (std::size_t k = 0; k < size; ++k) product[k] += row[j] * matrix[j * size + k];
  for (std::size_t k = 0; k < size; ++k) row[k] = static_cast<float>(product[k]);
}

}  // namespace

RowsOf<float> Design::view() const {
  return {reinterpret_cast<const float*>(matrix_.data()), rows(), columns_, columns_};
}

Result<Design> Design::create(Table table, const DesignColumns& wanted, double leverage) try {
  const std::size_t rows = table.rows(), width = wanted.fitted.size() + 1, cells = table.columns().size();
  Design design(width, leverage * std::sqrt(static_cast<double>(width)));
  const std::vector<Column> columns = table.columns();
  TAILCOAT_TRY(encoder, RowEncoder::create(wanted.features, columns));
  TAILCOAT_TRY(target, find_column(columns, wanted.target));
  std::size_t exposure = cells;
  if (!wanted.exposure.empty()) {
    TAILCOAT_TRY(found, find_column(columns, wanted.exposure));
    exposure = found;
  }
  std::vector<Standard> standards;
  for (const std::size_t j : wanted.fitted)
    standards.push_back({j, wanted.features[j].centre, 1 / wanted.features[j].scale});

  const std::size_t cell_size = table.storage() == Storage::f64 ? sizeof(double) : sizeof(float);
  const Storage storage = table.storage();
  const auto bytes = checked_mul(rows, width * sizeof(float));
  if (!bytes) return data_error("the table is too large");
  design.labels_.resize(rows);
  design.weights_.resize(rows);
  if (exposure < cells) design.exposures_.resize(rows);
  Buffer old = std::move(table).take_matrix();
  const bool in_place = width * sizeof(float) <= cells * cell_size;
  if (!in_place) TAILCOAT_CHECK(design.matrix_.resize(*bytes));
  std::byte* const out = in_place ? old.data() : design.matrix_.data();

  std::vector<double> values(wanted.features.size());
  std::vector<float> row(width, 1.0f);
  const double square = design.radius_ * design.radius_;
  const auto fill = [&](auto reader) {
    for (std::size_t i = 0; i < rows; ++i) {
      const std::span<const double> cell = reader.row(i);
      encoder.encode(cell, values);
      double norm = 1;
      for (std::size_t j = 0; j + 1 < width; ++j) {
        const double z = (values[standards[j].feature] - standards[j].centre) * standards[j].inverse_scale;
        row[j] = static_cast<float>(z);
        norm += z * z;
      }
      design.labels_[i] = cell[target];
      design.weights_[i] = norm <= square ? 1 : square / norm;
      if (exposure < cells) design.weights_[i] *= design.exposures_[i] = cell[exposure];
      std::memcpy(out + i * width * sizeof(float), row.data(), width * sizeof(float));
    }
  };
  storage == Storage::f64 ? fill(CellReader<double>(old.data(), cells)) : fill(CellReader<float>(old.data(), cells));
  if (in_place) {
    design.matrix_ = std::move(old);
    TAILCOAT_CHECK(design.matrix_.resize(*bytes));
  }
  return design;
} catch (const std::bad_alloc&) {
  return system_error("no memory for the labels and weights of the rows");
}

Result<void> Design::transform(Engine& engine, std::span<const double> matrix) {
  float* const cells = reinterpret_cast<float*>(matrix_.data());
  constexpr std::size_t kChunk = 4096;
  return engine.for_each((rows() + kChunk - 1) / kChunk, [&](std::size_t chunk) -> Result<void> {
    std::vector<double> product(columns_);
    for (std::size_t i = chunk * kChunk; i < std::min(rows(), (chunk + 1) * kChunk); ++i)
      multiply(matrix.data(), columns_, product.data(), cells + i * columns_);
    return {};
  });
}

}  // namespace tailcoat
