// The language of `account --compose`: a list of events, each with a count if there are several of it.
//   gaussian:MU  pure:EPSILON  bounded-range:EPSILON  approx:EPSILON:DELTA  zcdp:RHO  sampled:RATE:RATIO:STEPS
//   parallel(LIST|LIST|...)
// as in "gaussian:0.1x25,pure:0.5,parallel(approx:0.1:1e-7|pure:0.2x2)".
#pragma once

#include <string>
#include <vector>

#include "tailcoat/base/result.hpp"
#include "tailcoat/privacy/event.hpp"

namespace tailcoat {

// The events, counts written out: at most a million. A usage error says where the text stops making sense; whether the
// numbers are in range is for the accountant to say.
Result<std::vector<Event>> parse_events(std::string text);

}  // namespace tailcoat
