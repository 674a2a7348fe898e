#include "data.hpp"

#include <fmt/format.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>

#include "bindings.hpp"

namespace tailcoat::python {
namespace {

using Matrix = nb::ndarray<nb::ro, nb::ndim<2>, nb::device::cpu>;
using Levels = std::vector<std::optional<std::vector<std::string>>>;  // per column; none: numbers

template <class T>
Rows rows_of(const Matrix& array) {
  const bool whole_rows = array.shape(1) <= 1 || array.stride(1) == 1;
  if (!whole_rows || array.stride(0) < static_cast<std::int64_t>(array.shape(1)))
    throw Failure(usage_error("the array's rows are not contiguous; pass it through numpy.ascontiguousarray"));
  return RowsOf<T>{static_cast<const T*>(array.data()), array.shape(0), array.shape(1),
                   static_cast<std::size_t>(array.stride(0))};
}

Rows view_of(const Matrix& array) {
  if (array.dtype() == nb::dtype<double>()) return rows_of<double>(array);
  if (array.dtype() == nb::dtype<float>()) return rows_of<float>(array);
  throw Failure(usage_error("the array must hold float64 or float32"));
}

Data data_of_array(const Matrix& array, const std::vector<std::string>& names, const Levels& levels) {
  Data data{.cells = view_of(array), .array = nb::cast(array)};
  if (names.size() != array.shape(1) || levels.size() != names.size())
    throw Failure(usage_error(fmt::format("{} names for {} columns", names.size(), array.shape(1))));
  for (std::size_t j = 0; j < names.size(); ++j) {
    const ColumnKind kind = levels[j] ? ColumnKind::text : ColumnKind::number;
    data.columns.push_back({.name = names[j], .kind = kind, .levels = levels[j].value_or(std::vector<std::string>{})});
  }
  if (!names.empty()) value_of(check_columns(data.columns));
  return data;
}

std::vector<std::string> names_of(const Data& data) {
  std::vector<std::string> names;
  for (const Column& column : data.columns) names.push_back(column.name);
  return names;
}

nb::object column_of(const Data& data, std::size_t place) {
  auto [array, out] = new_array(data.rows());
  std::visit(
      [&, out = out](const auto& rows) {
        for (std::size_t i = 0; i < out.size(); ++i) out[i] = static_cast<double>(rows.row(i)[place]);
      },
      data.cells);
  return array;
}

// Its values, what they are, and the texts they stand for.
nb::object apart_of(const Data& data) {
  if (!data.apart) return nb::none();
  auto [array, values] = new_array(data.apart->values.size());
  std::copy(data.apart->values.begin(), data.apart->values.end(), values.begin());
  return nb::make_tuple(array, data.apart->kind, data.apart->column.levels);
}

}  // namespace

Frame frame_of(const Data& data, const std::optional<Apart>& apart) {
  Frame frame{.columns = data.columns, .cells = data.cells};
  if (!apart) return frame;
  frame.columns.push_back(apart->column);
  if (data.columns.empty()) {  // nothing to keep it apart from
    frame.cells = RowsOf<double>{apart->values.data(), apart->values.size(), 1, 1};
  } else {
    frame.apart = apart->values;
  }
  return frame;
}

Result<Table> table_of(const Data& data) {
  TAILCOAT_TRY(table, Table::create(data.columns, Storage::f64));
  std::vector<double> cells(data.columns.size());
  for (std::size_t i = 0; i < data.rows(); ++i) {
    std::visit([&](const auto& rows) { std::ranges::copy(rows.row(i), cells.begin()); }, data.cells);
    TAILCOAT_CHECK(table.append(cells));
  }
  return std::move(table);
}

std::pair<nb::object, std::span<double>> new_array(std::size_t rows, std::optional<std::size_t> columns) {
  const std::size_t count = rows * columns.value_or(1);
  auto numbers = std::make_unique<double[]>(std::max<std::size_t>(count, 1));
  double* data = numbers.get();
  const nb::capsule owner(numbers.release(), [](void* memory) noexcept { delete[] static_cast<double*>(memory); });
  const std::size_t shape[2] = {rows, columns.value_or(1)};
  const nb::ndarray<nb::numpy, double> array(data, columns ? 2 : 1, shape, owner);
  return {nb::cast(array), {data, count}};
}

void bind_data(nb::module_& module) {
  nb::class_<Data>(module, "Data")
      .def_static("of_array", &data_of_array, nb::arg("array"), nb::arg("names"), nb::arg("levels"))
      .def_static("of_arrow", &read_arrow, nb::arg("source"), nb::arg("names"), nb::arg("texts"),
                  nb::arg("apart").none())
      .def("column", &column_of, nb::arg("place"))
      .def_prop_ro("names", &names_of)
      .def_prop_ro("rows", &Data::rows)
      .def_prop_ro("apart", &apart_of);
}

}  // namespace tailcoat::python
