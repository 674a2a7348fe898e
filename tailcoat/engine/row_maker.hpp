// RowMaker: rows that are not kept but made anew in every pass, piece by piece, from data that somebody else owns. A
// pass then needs memory for one piece per thread, however many rows there are.
#pragma once

#include <cstddef>
#include <optional>

#include "tailcoat/data/rows.hpp"

namespace tailcoat {

// Where a piece of `count` rows may be made.
struct RowSpace {
  float* rows;         // count * padded(columns()) floats, on the boundary of a vector
  double* labels;      // count of them, to be filled
  double* weights;     // likewise
  std::byte* scratch;  // scratch_bytes(), on the boundary of a vector, zero or as the last piece has left them
};

// Privacy rests on this: what is made of a row, with its label and weight, is a function of that row of the data and of
// public numbers, and has the same bits in whatever piece the row is asked for (lattice.md, "Made rows").
class RowMaker {
 public:
  virtual ~RowMaker() = default;

  [[nodiscard]] virtual std::size_t rows() const = 0;
  [[nodiscard]] virtual std::size_t columns() const = 0;
  [[nodiscard]] virtual std::size_t scratch_bytes() const { return 0; }

  // Rows [begin, end), in the space or elsewhere. From several threads at once. It cannot fail: whether a sum is
  // refused must not depend on the data.
  [[nodiscard]] virtual RowsOf<float> make(std::size_t begin, std::size_t end,
                                           const RowSpace& space) const noexcept = 0;

  // All rows, with the bits that make() gives them, if they are in memory. Then their norms may be computed only once,
  // and make() gets no space for rows.
  [[nodiscard]] virtual std::optional<RowsOf<float>> kept() const { return {}; }

 protected:
  RowMaker() = default;
  RowMaker(const RowMaker&) = default;
  RowMaker& operator=(const RowMaker&) = default;
};

}  // namespace tailcoat
