// Dual coordinate ascent for the minimiser of a regularised GLM over a domain. A dual scalar alpha_i per row; one step
// replaces one of them by the implicit slope at the margin without the row's own contribution. Convergence and
// certificate: minimiser.md.
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <numeric>
#include <span>
#include <vector>

#include "tailcoat/data/rows.hpp"
#include "tailcoat/domains/domain.hpp"
#include "tailcoat/engine/exact_sum.hpp"
#include "tailcoat/engine/kernels.hpp"
#include "tailcoat/engine/lattice.hpp"
#include "tailcoat/engine/minimiser.hpp"
#include "tailcoat/engine/workers.hpp"
#include "tailcoat/losses/scalar.hpp"

namespace tailcoat {

template <class T>
struct LabelledRows {
  RowsOf<T> rows;
  const double* labels;
  const double* inverse_norms;
};

// v and the point x of the domain that is nearest to it.
class ProjectedPoint {
 public:
  ProjectedPoint(const Domain& domain, std::span<const double> v)
      : domain_(domain), dimension_(v.size()), v_(padded_copy(v)), x_(v_) {
    project();
  }

  [[nodiscard]] const double* padded_x() const { return inside_ ? v_.data() : x_.data(); }
  [[nodiscard]] std::span<const double> x() const { return {padded_x(), dimension_}; }

  // v += scale row, a move of length at most `length`.
  template <class T>
  void step(const T* row, double scale, double length) {
    for (std::size_t j = 0; j < dimension_; ++j) v_[j] += scale * row[j];
    room_ -= length;
    if (room_ < 0) project();
  }

 private:
  // In a ball the distance to the boundary is known after a projection, and shrinks by no more than the moves: most
  // steps need not look.
  void project() {
    std::ranges::copy(v_, x_.begin());
    static_cast<void>(domain_.project(std::span(x_).first(dimension_)).ok());  // finite: cannot fail
    inside_ = x_ == v_;
    room_ = 0;
    if (const Ball* ball = domain_.as_ball(); ball != nullptr && inside_) {
      double squares = 0;
      for (std::size_t j = 0; j < dimension_; ++j) {
        const double away = x_[j] - ball->centre()[j];
        squares += away * away;
      }
      room_ = std::max(0.0, ball->radius() - std::sqrt(squares)) * 0.999;
    }
  }

  const Domain& domain_;
  std::size_t dimension_;
  AlignedVector v_, x_;
  bool inside_ = true;
  double room_ = 0;  // how far v may move and certainly stay in the domain
};

// Sums of vectors whose error does not grow with their number.
class VectorSum {
 public:
  explicit VectorSum(std::size_t size) : sum_(size), lost_(size) {}

  template <class T>
  void add(const T* row, double scale) {
    for (std::size_t j = 0; j < sum_.size(); ++j) {
      const double term = scale * row[j], next = sum_[j] + term, part = next - sum_[j];
      lost_[j] += (sum_[j] - (next - part)) + (term - part);
      sum_[j] = next;
    }
  }
  [[nodiscard]] double operator[](std::size_t j) const { return sum_[j] + lost_[j]; }

 private:
  std::vector<double> sum_, lost_;
};

template <class L, class T>
class DualAscent {
 public:
  DualAscent(const L& loss, const LabelledRows<T>& data, const Domain& domain, std::span<const double> centre,
             const Minimisation& problem, const MinimiserTolerance& tolerance)
      : loss_(loss),
        data_(data),
        domain_(domain),
        centre_(centre),
        problem_(problem),
        tolerance_(tolerance),
        limit_(shrunk_units(problem.lipschitz, centre.size(), kClipSlack)),
        weight_(problem.weight * static_cast<double>(data.rows.rows)) {
    const AlignedVector middle = padded_copy(domain.centre());
    for (std::size_t i = 0; i < data.rows.rows; ++i)
      if (takes_part(i, middle.data())) taking_part_.push_back(i);
    alpha_.resize(taking_part_.size());
    anchor_.resize(taking_part_.size());
  }

  // Within tolerance.distance of the minimiser.
  // Looks up between epochs whether to stop.
  std::vector<double> operator()(const Workers& workers) {
    std::size_t epochs = 0, next_check = 1;
    for (;;) {
      ProjectedPoint point(domain_, lagrangian_minimiser());
      if (taking_part_.empty() || (epochs == next_check && certified(point)))
        return {point.x().begin(), point.x().end()};
      if (epochs == next_check) next_check += 1 + epochs / 4;
      for (; epochs < next_check; ++epochs) {
        workers.check_stop();
        ascend(point, epochs);
      }
    }
  }

 private:
  struct Scales {
    double norm;      // |a|
    double kappa;     // |a|^2 / (weight n): what one unit of alpha moves the own margin by
    double envelope;  // |a|^2 / envelope
    double limit;     // the largest slope
  };
  Scales scales(std::size_t i) const {
    const double inverse = data_.inverse_norms[i], squared = 1 / (inverse * inverse);
    return {1 / inverse, squared / weight_, squared / problem_.envelope, limit_ * inverse};
  }
  const T* row(std::size_t i) const { return data_.rows.data + i * data_.rows.stride; }
  double margin(std::size_t i, const double* padded_x) const { return row_margin(row(i), padded_x, centre_.size()); }

  // A rule on the record and public numbers alone.
  bool takes_part(std::size_t i, const double* middle) const {
    const double label = data_.labels[i];
    if (data_.inverse_norms[i] == 0 || !(std::abs(label) <= 0x1p900)) return false;
    const Scales s = scales(i);
    if (!(s.kappa >= 0x1p-900 && s.kappa + s.envelope <= 0x1p900)) return false;
    if constexpr (std::same_as<L, PoissonLoss>) {
      const double mean = s.limit + std::abs(label);
      if (!(mean * (1 + std::abs(std::log(mean))) <= kPoissonMeans * s.limit)) return false;
    }
    if (problem_.steep == SteepSamples::clip) return true;
    const double at = margin(i, middle), size = std::abs(at) + s.norm * domain_.radius();
    const double reach = s.norm * domain_.radius() + 0x1p-20 * size;
    const double steepest =
        std::max(std::abs(loss_.derivative(at - reach, label)), std::abs(loss_.derivative(at + reach, label)));
    return steepest * s.norm * (1 + 0x1p-20) <= problem_.lipschitz;
  }

  // c - (1 / (weight n)) sum alpha_i a_i, afresh: the errors of the steps do not add up.
  std::vector<double> lagrangian_minimiser() const {
    VectorSum sum(centre_.size());
    for (std::size_t k = 0; k < taking_part_.size(); ++k) sum.add(row(taking_part_[k]), alpha_[k]);
    std::vector<double> v(centre_.begin(), centre_.end());
    for (std::size_t j = 0; j < v.size(); ++j) v[j] -= sum[j] / weight_;
    return v;
  }

  // One step for each row, in an order that has nothing to do with that of the data.
  void ascend(ProjectedPoint& point, std::size_t epoch) {
    const std::size_t count = taking_part_.size();
    std::size_t stride = static_cast<std::size_t>(0.6180339887 * static_cast<double>(count)) + 1 + epoch % 7;
    while (std::gcd(stride, count) != 1) ++stride;
    std::size_t k = epoch * 7919 % count;
    for (std::size_t visited = 0; visited < count; ++visited, k = (k + stride) % count) {
      const std::size_t i = taking_part_[k];
      const Scales s = scales(i);
      const double without = margin(i, point.padded_x()) + s.kappa * alpha_[k];
      const double slope = loss_.implicit_slope(without, data_.labels[i], s.kappa + s.envelope);
      const double alpha = clamped(slope, -s.limit, s.limit), change = alpha - alpha_[k];
      anchor_[k] = without - s.kappa * alpha;
      if (change == 0) continue;
      alpha_[k] = alpha;
      point.step(row(i), -change / weight_, std::abs(change) * s.norm / weight_ * (1 + 0x1p-20));
    }
  }

  double slope_at(double margin, double label, const Scales& s) const {
    const double slope = std::isfinite(problem_.envelope) ? loss_.implicit_slope(margin, label, s.envelope)
                                                          : loss_.derivative(margin, label);
    return clamped(slope, -s.limit, s.limit);
  }

  // Whether the duality gap, with all errors on the safe side, is at most tolerance.gap.
  bool certified(const ProjectedPoint& point) const {
    double gap = 0;
    for (std::size_t k = 0; k < taking_part_.size(); ++k) {
      const std::size_t i = taking_part_[k];
      const Scales s = scales(i);
      const double at = margin(i, point.padded_x()), error = s.norm * tolerance_.margin_error;
      double worst = 0;
      for (const double end : {at - error, at + error}) {
        const double slope_gap = std::abs(slope_at(end, data_.labels[i], s) - alpha_[k]);
        const double distance = std::abs(end - anchor_[k]) + s.norm * tolerance_.anchor_error;
        worst = std::max(worst, (slope_gap + 2 * tolerance_.slope_error * s.limit) * distance);
      }
      gap += worst;
    }
    return gap / static_cast<double>(data_.rows.rows) * (1 + 0x1p-20) <= tolerance_.gap;
  }

  // Of counts beyond it, in units of the largest slope, the implicit slope is not known well enough.
  static constexpr double kPoissonMeans = 0x1p8;

  const L& loss_;
  const LabelledRows<T>& data_;
  const Domain& domain_;
  std::span<const double> centre_;
  const Minimisation& problem_;
  const MinimiserTolerance& tolerance_;
  double limit_;   // L, shrunk so that what is clipped to it is L-Lipschitz on the machine
  double weight_;  // lambda n
  std::vector<std::size_t> taking_part_;
  std::vector<double> alpha_;   // dual scalars
  std::vector<double> anchor_;  // alpha_i is a slope of sample i at the margin anchor_i
};

}  // namespace tailcoat
