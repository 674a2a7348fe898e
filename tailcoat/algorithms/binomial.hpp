// Tails of the binomial distribution, for how often independent runs fail and how often a part of the data is drawn.
#pragma once

#include <cstddef>

namespace tailcoat {

// P[Binomial(trials, q) >= least], for least >= trials q and 0 < q < 1.
double binomial_tail(std::size_t trials, std::size_t least, double q);

}  // namespace tailcoat
