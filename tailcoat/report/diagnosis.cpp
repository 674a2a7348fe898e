#include "tailcoat/report/picture.hpp"
#include "tailcoat/report/sections.hpp"

namespace tailcoat::report {

std::string diagnosis_section(const Fit& fit) {
  if (!fit.diagnosis) return "";
  const std::string shown = residuals_html(*fit.diagnosis, fit.model) + calibration_html(*fit.diagnosis, fit.model);
  if (shown.empty()) return "";
  return "<section aria-labelledby=\"fits\"><h2 id=\"fits\">How well it fits</h2>\n" + shown +
         "<p class=\"small\">Measured on the rows that the model was fitted to, with noise for privacy: on other rows "
         "it may fit a little worse.</p></section>\n";
}

}  // namespace tailcoat::report
