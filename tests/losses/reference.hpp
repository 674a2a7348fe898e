// The losses in multiprecision, written down from their definitions, and generators of hostile arguments.
#pragma once

#include <rapidcheck.h>

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>
#include <cstdint>
#include <variant>
#include <vector>

#include "tailcoat/losses/loss.hpp"

namespace tailcoat::reference {

// 340 digits: t - kappa alpha is then known to 30 digits even where both are 1e308.
using Wide = boost::multiprecision::number<boost::multiprecision::cpp_bin_float<340>, boost::multiprecision::et_off>;

// All slopes of a convex function at a point: its subdifferential.
struct Slopes {
  Wide lower, upper;
};

inline const std::vector<Loss>& all_losses() {
  static const std::vector<Loss> losses{
      SquaredLoss{},           LogisticLoss{},        PoissonLoss{},      HuberLoss{},
      HuberLoss{1e-3},         HuberLoss{1e6},        AbsoluteLoss{},     QuantileLoss{0.5},
      QuantileLoss{0.9},       QuantileLoss{1e-3},    HingeLoss{},        SmoothedHingeLoss{},
      SmoothedHingeLoss{1e-3}, SmoothedHingeLoss{50}, SquaredHingeLoss{}, LinearLoss{}};
  return losses;
}

inline bool is_classification(const Loss& loss) {
  return std::holds_alternative<LogisticLoss>(loss) || std::holds_alternative<HingeLoss>(loss) ||
         std::holds_alternative<SmoothedHingeLoss>(loss) || std::holds_alternative<SquaredHingeLoss>(loss);
}

inline Wide larger(const Wide& a, const Wide& b) { return a < b ? b : a; }
inline Wide smaller(const Wide& a, const Wide& b) { return a < b ? a : b; }

// psi and its slopes, where phi(t; y) is psi(t - y) for regression, psi(yt) for classification.
struct Shape {
  Wide at;

  Wide value(const SquaredLoss&) const { return at * at / 2; }
  Slopes slopes(const SquaredLoss&) const { return {at, at}; }

  Wide value(const HuberLoss& huber) const {
    const Wide delta = huber.delta;
    return abs(at) <= delta ? Wide(at * at / 2) : Wide(delta * abs(at) - delta * delta / 2);
  }
  Slopes slopes(const HuberLoss& huber) const {
    const Wide slope = larger(-Wide(huber.delta), smaller(huber.delta, at));
    return {slope, slope};
  }

  Wide value(const AbsoluteLoss&) const { return abs(at); }
  Slopes slopes(const AbsoluteLoss&) const { return {at > 0 ? 1 : -1, at < 0 ? -1 : 1}; }

  Wide value(const QuantileLoss& quantile) const {
    return at < 0 ? Wide(-at * Wide(quantile.level)) : Wide(at * (1 - Wide(quantile.level)));
  }
  Slopes slopes(const QuantileLoss& quantile) const {
    const Wide below = -Wide(quantile.level), above = 1 - Wide(quantile.level);
    return {at > 0 ? above : below, at < 0 ? below : above};
  }

  // e^30000 is beyond all doubles, and within range here.
  Wide bounded() const { return larger(-30000, smaller(30000, at)); }
  Wide value(const LogisticLoss&) const { return at < -30000 ? Wide(-at) : Wide(log(1 + exp(-bounded()))); }
  Slopes slopes(const LogisticLoss&) const {
    const Wide slope = -1 / (1 + exp(bounded()));
    return {slope, slope};
  }

  Wide value(const HingeLoss&) const { return larger(0, 1 - at); }
  Slopes slopes(const HingeLoss&) const { return {at > 1 ? 0 : -1, at < 1 ? -1 : 0}; }

  Wide value(const SmoothedHingeLoss& hinge) const {
    const Wide gap = larger(0, 1 - at), width = hinge.width;
    return gap <= width ? Wide(gap * gap / (2 * width)) : Wide(gap - width / 2);
  }
  Slopes slopes(const SmoothedHingeLoss& hinge) const {
    const Wide slope = -smaller(1, larger(0, 1 - at) / Wide(hinge.width));
    return {slope, slope};
  }

  Wide value(const SquaredHingeLoss&) const {
    const Wide gap = larger(0, 1 - at);
    return gap * gap / 2;
  }
  Slopes slopes(const SquaredHingeLoss&) const {
    const Wide slope = -larger(0, 1 - at);
    return {slope, slope};
  }
};

inline Wide value(const Loss& loss, const Wide& t, double y) {
  return std::visit(
      [&]<class L>(const L& l) -> Wide {
        if constexpr (std::same_as<L, LinearLoss>) {
          return t;
        } else if constexpr (std::same_as<L, PoissonLoss>) {
          const Wide bent = larger(-30000, smaller(kExpLimit, t));
          const Wide tangent = t > kExpLimit ? Wide(exp(bent) * (t - kExpLimit)) : Wide(0);
          return exp(bent) + tangent - Wide(y) * t;
        } else {
          return Shape{is_classification(loss) ? Wide(y * t) : Wide(t - y)}.value(l);
        }
      },
      loss);
}

inline Slopes slopes(const Loss& loss, const Wide& t, double y) {
  return std::visit(
      [&]<class L>(const L& l) -> Slopes {
        if constexpr (std::same_as<L, LinearLoss>) {
          return {1, 1};
        } else if constexpr (std::same_as<L, PoissonLoss>) {
          const Wide slope = exp(larger(-30000, smaller(kExpLimit, t))) - y;
          return {slope, slope};
        } else if (is_classification(loss)) {
          const Slopes inner = Shape{y * t}.slopes(l);
          return y > 0 ? inner : Slopes{-inner.upper, -inner.lower};
        } else {
          return Shape{t - y}.slopes(l);
        }
      },
      loss);
}

// +-10^u, u uniform in [low, high] from the first case on (RapidCheck starts with small numbers unless resized).
inline rc::Gen<double> log_uniform(double low, double high) {
  return rc::gen::map(rc::gen::pair(rc::gen::resize(rc::kNominalSize, rc::gen::inRange<std::int64_t>(0, 1LL << 53)),
                                    rc::gen::arbitrary<bool>()),
                      [=](const std::pair<std::int64_t, bool>& draw) {
                        const double size =
                            std::pow(10.0, low + (high - low) * static_cast<double>(draw.first) * 0x1p-53);
                        return draw.second ? size : -size;
                      });
}

// Margins: of ordinary size, exactly at the kinks, and of any size a double can have.
inline rc::Gen<double> margin() {
  return rc::gen::oneOf(log_uniform(-3, 2.8), log_uniform(-3, 2.8), log_uniform(-323, 308.2),
                        rc::gen::element(0.0, 1.0, -1.0, 2.0, -5e-324, 1e308, -1e308, kLargestDouble, -kLargestDouble));
}

// Labels a loss is meant for.
inline rc::Gen<double> label(const Loss& loss) {
  if (is_classification(loss)) return rc::gen::element(-1.0, 1.0);
  if (std::holds_alternative<PoissonLoss>(loss)) {
    return rc::gen::oneOf(rc::gen::element(0.0, 1.0, 2.0, 17.0, 1e5),
                          rc::gen::map(log_uniform(0, 12), [](double y) { return std::floor(std::abs(y)); }));
  }
  return rc::gen::oneOf(rc::gen::element(0.0, 1.0, -1.0, 2.0, 1e5), log_uniform(-3, 6), log_uniform(-300, 300));
}

}  // namespace tailcoat::reference
