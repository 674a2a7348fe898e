// What the pictures of "How well it fits" share: a frame whose width is in per cent, so that it stretches with the
// page, and whose height is in pixels.
#pragma once

#include <string>

#include "tailcoat/estimators/fit.hpp"
#include "tailcoat/report/scale.hpp"

namespace tailcoat::report {

struct Frame {
  Scale x, y;
  double height;                 // of the picture with its labels
  double top, bottom;            // of the frame, in pixels
  double left = 13, right = 97;  // in per cent
};

enum class Labels { none, numbers, percents };

// Grid, ticks and the name of the axis from left to right.
std::string axes(const Frame&, Labels along, Labels upwards, const std::string& name);

// The parts of the section; empty where there is nothing to show.
std::string residuals_html(const Diagnosis&, const Model&);
std::string calibration_html(const Diagnosis&, const Model&);

}  // namespace tailcoat::report
