// Outlet: the one way out for sensitive values. Every mechanism takes one: the meter it charges before it opens
// anything, and the source of the noise it adds.
#pragma once

#include "tailcoat/noise/bit_source.hpp"
#include "tailcoat/privacy/meter.hpp"

namespace tailcoat {

struct Outlet {
  PrivacyMeter& meter;
  BitSource& noise;
};

}  // namespace tailcoat
