// Accelerated projected gradient descent for the minimiser over smooth sample functions of the user's own, until the
// gradient mapping certifies the distance. Proof: minimiser.md, "Losses of the user's own".
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "tailcoat/base/result.hpp"
#include "tailcoat/domains/domain.hpp"
#include "tailcoat/engine/minimiser.hpp"
#include "tailcoat/engine/samples.hpp"
#include "tailcoat/engine/workers.hpp"

namespace tailcoat {

class GradientDescent {
 public:
  struct Range {
    std::size_t first, count;
  };

  GradientDescent(const SampleFunctions&, Range, const Domain&, std::span<const double> centre, const Minimisation&,
                  Workers&);

  // The distance from the minimiser that minimiser() certifies: public.
  [[nodiscard]] double tolerance() const { return tolerance_; }
  // An error only where a callback has thrown.
  [[nodiscard]] Result<std::vector<double>> minimiser();

 private:
  Result<void> choose_samples();
  Result<std::vector<double>> gradient(std::span<const double> x);
  template <class Job>
  Result<void> for_each_sample(Job job);

  const SampleGradient& sample_gradient_;
  Range range_;
  const Domain& domain_;
  std::span<const double> centre_;
  const Minimisation& problem_;
  Workers& workers_;
  double modulus_, step_;
  double map_error_;  // of one computed gradient step
  double tolerance_;
  std::vector<char> takes_part_;
  std::size_t left_out_ = 0;
};

}  // namespace tailcoat
