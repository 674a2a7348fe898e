// Directed arithmetic for privacy quantities: each function returns a double that is never below (_up) or never above
// (_down) the exact real result, and is the exact result where that is a double (below 2^-960 it may be one step off).
// No rounding-mode switches: the error of the nearest result is recovered with fma, so the functions hold under any
// optimisation without -ffast-math, in any rounding mode.
#pragma once

namespace tailcoat {

double add_up(double a, double b);
double add_down(double a, double b);
double sub_up(double a, double b);
double sub_down(double a, double b);
double mul_up(double a, double b);
double mul_down(double a, double b);
double div_up(double a, double b);
double div_down(double a, double b);
double sqrt_up(double a);
double sqrt_down(double a);

}  // namespace tailcoat
