// TailPace: longer steps for the slopes of tails. The rows of a tail are few and far out, and their gradients are cut
// or bounded, so a step that suits the bulk may be far too short for them. Where the derivative along such a slope
// stays what it was, the next step along it is twice as long; where it turns, shorter. All from released gradients.
// Rules: adaptive.md.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace tailcoat {

double product(std::span<const double> a, std::span<const double> b);

// The coefficient of a tail, in the coordinates of a descent.
struct TailDirection {
  std::vector<double> unit;    // what 1 more of the coefficient adds to a point
  std::vector<double> reader;  // its product with a point is the coefficient
};

class TailPace {
 public:
  explicit TailPace(std::vector<TailDirection> tails);

  // After a step of `length` against a gradient with noise of deviation `noise` in each coordinate: takes the place of
  // what it did to the slopes of tails that are not getting on.
  void hurry(std::span<const double> gradient, double noise, double length, std::span<double> point);

  // From now on no step gets longer.
  void slow_down() { growing_ = false; }

  // The places of those whose derivative was still what it had been when last seen.
  [[nodiscard]] std::vector<std::size_t> unfinished() const;

 private:
  struct Tail {
    TailDirection direction;
    double bound;  // of the curvature, for steps along several of them at once
    double before = 0, pace = 1;
    bool stays = false;
  };
  std::vector<Tail> tails_;
  bool growing_ = true;
};

}  // namespace tailcoat
