#include "tailcoat/engine/samples.hpp"

#include <fmt/format.h>

#include <cassert>
#include <cmath>

namespace tailcoat {

Samples Samples::block(std::size_t first, std::size_t count) const {
  assert(first <= count_ && count <= count_ - first);
  Samples part = *this;
  part.first_ += first;
  part.count_ = count;
  return part;
}

Samples Samples::with(SampleFunctions functions) const {
  assert(data_ == nullptr);
  Samples same = *this;
  same.functions_ = std::make_shared<SampleFunctions>(std::move(functions));
  return same;
}

Result<void> check_samples(const Samples& samples, std::span<const double> x) {
  if (samples.size() == 0) return data_error("a sum over 0 samples; give at least one");
  if (samples.dimension() == 0) return usage_error("samples of dimension 0; give at least one");
  if (x.size() != samples.dimension())
    return usage_error(fmt::format("x has {} numbers, the data has {} columns", x.size(), samples.dimension()));
  for (std::size_t j = 0; j < x.size(); ++j) {
    if (!std::isfinite(x[j])) return usage_error(fmt::format("x[{}] = {} is not finite", j, x[j]));
  }
  if (const Loss* loss = samples.glm_loss()) return check_loss(*loss);
  if (!samples.functions()->gradient) return usage_error("the gradient of a sample is an empty function");
  return {};
}

Result<void> check_unweighted(const Samples& samples, const char* what) {
  if (samples.made())
    return usage_error(fmt::format("{} needs rows that are kept in memory, these are made anew in each pass", what));
  if (!samples.weighted()) return {};
  return usage_error(fmt::format("{} would ignore the weights of the rows; load the data without weights", what));
}

}  // namespace tailcoat
