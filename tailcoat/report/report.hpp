// The report of a fit: one HTML page that explains model, accuracy and privacy to someone who has never heard of
// differential privacy. Self-contained: no script, no font, nothing fetched; light and dark; fit to print. It is made
// from the fit alone, which holds public numbers only, so it costs no privacy.
#pragma once

#include <string>

#include "tailcoat/estimators/fit.hpp"

namespace tailcoat {

struct ReportInput {
  std::string data_name;  // the file's name, as it may be published
  std::string command;    // that makes this fit again
  std::string version;    // of tailcoat
  std::string date{};     // as it is to be printed; may be empty
};

std::string report_html(const Fit&, const ReportInput&);

}  // namespace tailcoat
