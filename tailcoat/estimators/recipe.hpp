// Recipe: how a row of cells becomes a row of a design, as flat public numbers for the vector kernel: each number of
// the row is standardised and cut, tails and indicators follow, and what is then multiplied with a matrix.
// Texts are in one of a few states, whose products with the matrix are known beforehand.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tailcoat/data/rows.hpp"
#include "tailcoat/engine/exact_sum.hpp"

namespace tailcoat {

struct Recipe {
  // Inputs of the multiplication, in this order: numbers, indicators, nothing up to a whole number of vectors,
  // tails. Of tails most are 0 in most rows, and left out of the multiplication there.
  struct Run {
    std::size_t column, input, count;  // consecutive columns that become consecutive inputs
  };
  struct Indicator {  // of a cell that is 0, of another number, of none
    std::size_t column;
    double zero, other, missing;
  };
  struct Texts {
    std::size_t column;
    std::vector<std::uint32_t> line_of;  // by level of the column; one more for no level
    std::vector<double> squares;         // of the row's part, by line - first_line
    std::size_t first_line;
  };

  // By input, zeros where there is none, up to room(). A number is factor * cell + shift, cut to low and high; a tail
  // is the cell, cut to low and high, less what it is if cut to the knots too, times factor. Both are 0 if it is
  // missing.
  AlignedVector factor, shift, low, high, knot_low, knot_high;
  std::vector<Run> numbers, tails;
  std::vector<Indicator> indicators;
  std::size_t first_indicator = 0;
  std::vector<Texts> texts;

  std::size_t dense = 0;    // numbers and indicators
  std::size_t inputs = 0;   // padded(dense) and tails
  std::size_t outputs = 1;  // columns of the design
  // Lines of padded(outputs) floats: one for each input, that of the constant, those of the states of texts.
  std::vector<float, VectorAllocator<float>> lines;

  // A vector may begin at any input.
  [[nodiscard]] std::size_t room() const { return padded(inputs) + padded(1); }
  [[nodiscard]] std::size_t scratch_bytes() const;
};

// Rows as they come out: padded(outputs) floats each, on the boundary of a vector; and the squared norm of each before
// the multiplication. Every row goes through the same operations, whatever its place.
void cook(const Recipe& recipe, const RowsOf<double>& cells, std::byte* scratch, float* rows, double* squares);
void cook(const Recipe& recipe, const RowsOf<float>& cells, std::byte* scratch, float* rows, double* squares);

}  // namespace tailcoat
