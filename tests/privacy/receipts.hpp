// A receipt of three releases, two of them of a block of rows, for the tests of receipts.
#pragma once

#include "tailcoat/privacy/receipt.hpp"

namespace tailcoat {

inline Receipt sample_receipt() {
  Receipt receipt;
  receipt.budget = {1, 1e-6};
  receipt.gaussian_budget = {0.2};
  receipt.gaussian_spent = {0.1};
  receipt.lines.push_back(
      {{.what = "gradient, step 1", .mechanism = "gaussian", .values = 12, .sensitivity = 0.5, .noise_scale = 5},
       {.mu = 0.1},
       ""});
  receipt.lines.push_back({{.what = "maximum", .mechanism = "bounded-laplace", .sensitivity = 1, .noise_scale = 2},
                           {.epsilon = 0.5, .delta = 1e-7},
                           "2 of 4"});
  receipt.lines.push_back({{.what = "solve", .mechanism = "sampled-gaussian", .sensitivity = 1, .noise_scale = 1.25},
                           {.epsilon = 1, .delta = 1e-6, .rate = 0.001, .ratio = 0.8, .steps = 20000},
                           "1 of 4"});
  return receipt;
}

}  // namespace tailcoat
