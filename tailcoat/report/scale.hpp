// One axis of a chart: from values to pixels, and where its ticks are.
#pragma once

#include <string>
#include <vector>

namespace tailcoat::report {

class Scale {
 public:
  // Covers the values, with a little room at both ends; of a logarithmic scale they must be positive.
  Scale(const std::vector<double>& values, bool logarithmic, double first_pixel, double last_pixel);

  [[nodiscard]] double pixel(double value) const;
  [[nodiscard]] std::vector<double> ticks() const;
  [[nodiscard]] std::string tick_label(double value) const;  // "10³", "2·10³", "0.25"
  [[nodiscard]] bool logarithmic() const { return logarithmic_; }
  [[nodiscard]] double lowest() const { return logarithmic_ ? power_of_ten(low_) : low_; }

 private:
  static double power_of_ten(double exponent);
  [[nodiscard]] double step() const;

  bool logarithmic_;
  double low_ = 0, high_ = 1;  // decimal logarithms on a logarithmic scale
  double first_pixel_, last_pixel_;
};

}  // namespace tailcoat::report
