// Data: named columns in memory that Python owns (an array, which is kept alive and not copied) or in a table of our
// own (read from an Arrow stream).
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tailcoat/data/column.hpp"
#include "tailcoat/data/frame.hpp"
#include "tailcoat/data/rows.hpp"
#include "tailcoat/data/table.hpp"

namespace tailcoat::python {

using Numbers = nanobind::ndarray<const double, nanobind::ndim<1>, nanobind::c_contig, nanobind::device::cpu>;

// A column that is kept beside the others: the target of an Arrow stream.
struct ApartColumn {
  Column column;
  const char* kind = "float";  // "text", "bool", "int" or "float"
  std::vector<double> values{};
};

struct Data {
  std::vector<Column> columns{};
  Rows cells{};
  std::optional<Table> table{};  // what cells is a view of, unless that is
  nanobind::object array{};      // this
  std::optional<ApartColumn> apart{};

  [[nodiscard]] std::size_t rows() const { return row_count(cells); }
};

// One column more, as it comes beside an array.
struct Apart {
  Column column;
  std::span<const double> values;
};

// A view of it all.
Frame frame_of(const Data&, const std::optional<Apart>&);
// A copy.
Result<Table> table_of(const Data&);

// Reads an object with __arrow_c_stream__: the columns named, in their order (none: all), those in `texts` as texts,
// and the one `apart` as what it is.
Data read_arrow(const nanobind::object& source, const std::vector<std::string>& names,
                const std::vector<std::string>& texts, const std::optional<std::string>& apart);

// Memory for `count` numbers as an array of Python, and the numbers in it.
std::pair<nanobind::object, std::span<double>> new_array(std::size_t rows, std::optional<std::size_t> columns = {});

}  // namespace tailcoat::python
