// How fast this machine is, measured in well under a second: what `plan` needs to turn sample gradients into seconds.
#pragma once

#include <cstddef>

#include "tailcoat/base/result.hpp"
#include "tailcoat/engine/engine.hpp"

namespace tailcoat {

struct Speed {
  double full_pass;  // seconds per sample gradient in a pass over all rows, on all cores
  double one_pass;   // seconds per step of a one-pass algorithm, which goes from row to row on one core
};

// With at most `rows` rows of `dimension` features. Logistic loss: neither the cheapest nor the dearest.
Result<Speed> measure_speed(Engine&, std::size_t rows, std::size_t dimension);

}  // namespace tailcoat
