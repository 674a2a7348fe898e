// The header of an NPY file (versions 1 to 3): what the array is and where its numbers begin.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tailcoat/base/result.hpp"
#include "tailcoat/data/readers/input_file.hpp"

namespace tailcoat {

struct NpyHeader {
  std::size_t cell_size = 0;  // 4 or 8: little-endian float or double
  bool fortran_order = false;
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::uint64_t data_offset = 0;
};

// Refuses what is not a matrix or vector of floats or doubles that the file holds completely.
Result<NpyHeader> read_npy_header(const InputFile& file);

}  // namespace tailcoat
