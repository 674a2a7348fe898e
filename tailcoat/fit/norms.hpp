// Magnitudes of a number of each row, a gradient norm or a residual, as a released histogram has them; and where to
// clip gradients so that the bias and the noise of their mean are least together.
#pragma once

#include <string>
#include <vector>

#include "tailcoat/engine/engine.hpp"
#include "tailcoat/mechanisms/outlet.hpp"

namespace tailcoat {

struct Bar {
  double low, high, rows;
  [[nodiscard]] double middle() const { return low + (high - low) / 2; }
};

class Magnitudes {
 public:
  enum class Signs { both, positive };

  static Result<Magnitudes> release(Engine&, const RowData& column, Signs, const std::string& what, Gdp cost, Outlet);

  [[nodiscard]] bool empty() const { return bars_.empty(); }
  [[nodiscard]] double rows() const;
  [[nodiscard]] double noise() const { return noise_; }  // standard deviation of a bar
  [[nodiscard]] double rows_within(double limit) const;
  [[nodiscard]] double rows_beyond(double limit) const;
  // The upper edge of the bar that the share of the rows reaches.
  [[nodiscard]] double quantile(double share) const;
  [[nodiscard]] double median() const;  // within its bar
  // Sum of squares of what is cut to the limit.
  [[nodiscard]] double square_sum(double limit) const;
  // The limit with the least sum of squared bias and squared noise, which is so much for each unit of the limit.
  [[nodiscard]] double best_limit(double rows, double noise_per_limit) const;

 private:
  std::vector<Bar> bars_;  // those that stand out of the noise
  double noise_ = 0;
};

}  // namespace tailcoat
