// Recipe: how a row of cells becomes a row of a design, as flat public numbers for the vector kernel: each number of
// the row is standardised and cut, tails and missing indicators follow, and what is then multiplied with a matrix.
// Texts are in one of a few states, whose products with the matrix are known beforehand.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tailcoat/data/rows.hpp"
#include "tailcoat/engine/exact_sum.hpp"

namespace tailcoat {

struct Recipe {
  // Inputs of the multiplication, in this order: numbers, tails, missing indicators.
  struct Run {
    std::size_t column, input, count;  // consecutive columns that become consecutive inputs
  };
  struct Tail {
    std::size_t column;
    double factor, low, high, knot_low, knot_high;  // in units of the file, but for the factor
  };
  struct Missing {
    std::size_t column;
    double present, missing;
  };
  struct Texts {
    std::size_t column;
    std::vector<std::uint32_t> line_of;  // by level of the column; one more for no level
    std::vector<double> squares;         // of the row's part, by line - first_line
    std::size_t first_line;
  };

  std::vector<Run> runs;
  // Of numbers: factor * cell + shift, cut; 0 if missing. Followed by zeros up to room().
  AlignedVector factor, shift, low, high;
  std::vector<Tail> tails;
  std::vector<Missing> missing;
  std::vector<Texts> texts;

  std::size_t inputs = 0;   // numbers, tails and missing
  std::size_t outputs = 1;  // columns of the design
  // Lines of padded(outputs) floats: one for each input, that of the constant, those of the states of texts.
  std::vector<float, VectorAllocator<float>> lines;

  [[nodiscard]] std::size_t numbers() const { return inputs - tails.size() - missing.size(); }
  // A vector may begin at any input.
  [[nodiscard]] std::size_t room() const { return padded(inputs) + padded(1); }
  [[nodiscard]] std::size_t scratch_bytes() const;
};

// Rows as they come out: padded(outputs) floats each, on the boundary of a vector; and the squared norm of each before
// the multiplication. Every row goes through the same operations, whatever its place.
void cook(const Recipe& recipe, const RowsOf<double>& cells, std::byte* scratch, float* rows, double* squares);
void cook(const Recipe& recipe, const RowsOf<float>& cells, std::byte* scratch, float* rows, double* squares);

}  // namespace tailcoat
