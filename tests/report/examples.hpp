// Fits put together by hand, of the kinds that a report has to show.
#pragma once

#include <string>
#include <vector>

#include "tailcoat/report/report.hpp"

namespace tailcoat::report_examples {

struct Example {
  std::string name;
  Fit fit;
  ReportInput input;
};

Example house_prices();   // 14 features, clear and unclear effects, levels, a missing indicator
Example three_classes();  // one part per class
Example many_features();  // 200, mostly noise
Example constant();       // the safety net chose a constant
Example claims();         // reference levels, a tail left out, residuals
Example loans();          // two classes with predicted chances against what came true
Example by_theorem();     // a certified bound in place of errors
Example hostile();        // names that are code, long, right to left, not UTF-8; numbers that are none; seeded noise
std::vector<Example> all();

}  // namespace tailcoat::report_examples
