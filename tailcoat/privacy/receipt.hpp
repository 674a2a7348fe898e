// Receipt: what was released at what price, in the order of the releases. It holds public quantities only.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tailcoat/privacy/guarantees.hpp"

namespace tailcoat {

// One release as its mechanism describes it.
struct Release {
  std::string what{};        // "gradient, step 3", "median of 12 columns"
  std::string mechanism{};   // "gaussian", "bounded-laplace", "sparse-vector"
  std::size_t values = 1;    // how many numbers were released
  double sensitivity = 0;    // in the unit of the released numbers
  double noise_scale = 0;    // standard deviation (gaussian) or scale (laplace), same unit
  bool secure_noise = true;  // false: drawn from a seed, for tests
};

// Its price: mu for a Gaussian release, epsilon and delta or rho for the others; the unused ones are 0. A release of
// sampled steps has the epsilon and delta of the budget they were reserved under, and what the steps are.
struct Price {
  double mu = 0;
  double epsilon = 0;
  double delta = 0;
  double rho = 0;
  double rate = 0;
  double ratio = 0;
  std::size_t steps = 0;
};

struct ReceiptLine {
  Release release;
  Price price;
  // "2 of 4" if the release saw only one of disjoint blocks of rows ("2 of 4, 1 of 3" for a block of a block). Its
  // price is then within that of the line "parallel" which opened the blocks.
  std::string block{};
};

struct Receipt {
  ApproxDp budget{};      // what was allowed; delta = 0 if it is pure, and epsilon = 0 if it was given as mu
  Gdp gaussian_budget{};  // the part of it that Gaussian releases share
  Gdp gaussian_spent{};
  bool secure = true;                 // every release drew its noise from the kernel-keyed source
  std::size_t blocks_not_joined = 0;  // their lines are missing here: the receipt is then not called secure
  std::vector<ReceiptLine> lines;

  // One JSON object, schema "tailcoat-receipt/1". Every number in it is finite.
  [[nodiscard]] std::string json() const;
  // What users of a fit see of it, on the command line and in Python: one JSON object with epsilon, delta, mu,
  // mu_spent, neighbours, secure and releases.
  [[nodiscard]] std::string summary() const;
};

}  // namespace tailcoat
