// Generator: the random numbers of simulated data. A seed gives the same bits on every machine: words by SplitMix64,
// and only operations that IEEE 754 rounds in one way, so no logarithm of the C library and no distribution of the C++
// one. For data and Monte Carlo only; noise that protects anybody comes from tailcoat/noise.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string_view>

namespace tailcoat::experiments {

// For x > 0, and any x: correct to about 1e-15 relative, the same bits everywhere.
double portable_log(double x);
double portable_exp(double x);

// A seed for each cell of a study, from what the cell is called.
std::uint64_t seed_of(std::string_view name, std::initializer_list<std::uint64_t> parts);

class Generator {
 public:
  explicit Generator(std::uint64_t seed) : state_(seed) {}

  std::uint64_t word();
  double uniform();  // in (0, 1), never an end
  double normal();
  double gamma(double shape);  // scale 1
  double laplace();            // scale 1
  double sign() { return (word() >> 63) != 0 ? 1.0 : -1.0; }

 private:
  std::uint64_t state_;
  double spare_ = 0;
  bool has_spare_ = false;
};

}  // namespace tailcoat::experiments
