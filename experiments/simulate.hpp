// Simulated problems whose optimum, excess risk and moments are known. The domain is the unit ball, x* a point of norm
// 3/4 (1 for `hard`). Kinds:
//   mean      f(x; s) = |x - s|^2 / 2, s = x* + row        excess |x - x*|^2 / 2
//   linear    squared loss, y = <a, x*> + noise             excess (E |a|^2 / d) |x - x*|^2 / 2
//   absolute  absolute loss, y = <a, x*> + noise            excess by quadrature over <a, x - x*>
//   logistic  logistic loss, P[y = 1] = 1/(1 + e^-<a, x*>)  excess by quadrature over the plane of x and x*
//   smooth    linear with rows of length sqrt(d) and a quarter of the noise, of which alone the tail is heavy: every
//             sample loss is d-smooth
//   hard      <s, x>: with probability p, s = -p^(-1/k) x*, else 0; so E |s|^k = 1 while the mean shrinks with p: the
//             construction of the lower bound             excess <E s, x - x*>
// Moments of the Lipschitz constants are formulas, never estimates: exact for absolute, logistic and hard (|a| bounds
// the gradient norm), by Minkowski's inequality for mean, linear, smooth and all rows with a constant 1.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/tails.hpp"
#include "tailcoat/algorithms/problem.hpp"

namespace tailcoat::experiments {

enum class Kind { mean, linear, absolute, logistic, smooth, hard };
Result<Kind> parse_kind(std::string_view name);
std::string_view kind_name(Kind);
bool has_label(Kind);
inline constexpr std::string_view kKindNames = "mean, linear, absolute, logistic, smooth, hard";

struct SimulationSpec {
  Kind kind = Kind::absolute;
  Tail tail{};  // of features and noise; `hard` has none
  std::size_t features = 10;
  std::uint64_t seed = 1;     // of x*
  double rare_probability{};  // `hard` only: p
  double rare_order{};        // `hard` only: k
};

// Rows and labels (0 where the kind has none), row after row.
struct Sample {
  std::vector<double> rows;
  std::vector<double> labels;
};

// What algorithms take, with the data it is a view of.
struct Instance {
  Sample sample;
  std::optional<LabelledData> data;
  std::optional<Problem> problem;
};

class Simulation {
 public:
  // Refuses 0 features, and for `hard` p outside (0, 1] and k below 2.
  static Result<Simulation> create(const SimulationSpec&);

  [[nodiscard]] const SimulationSpec& spec() const { return spec_; }
  [[nodiscard]] std::span<const double> optimum() const { return optimum_; }
  [[nodiscard]] const Domain& domain() const { return domain_; }
  [[nodiscard]] double smoothness() const;
  [[nodiscard]] double strong_convexity() const { return spec_.kind == Kind::mean ? 1 : 0; }

  // F(x) - F(x*) for x in the domain.
  [[nodiscard]] double excess(std::span<const double> x) const;
  // Refused where the tail has no such moments: order k needs an index above k, above 2k for `linear`, whose gradients
  // are quadratic in the features. `with_constant`: of the gradients for rows with a constant 1 added to the features,
  // which only kinds with a label have.
  [[nodiscard]] Result<Moments> moments(double order, bool with_constant = false) const;
  // What is public of a problem of so many rows.
  [[nodiscard]] Setting setting(std::size_t rows, const Moments&) const;

  // Fills the next row of the data that `random` draws, and returns its label.
  double draw_next(Generator& random, std::span<double> row) const;
  static Generator row_generator(std::uint64_t seed) { return Generator(seed_of("rows", {seed})); }
  // Rows one after the other, from row_generator(seed).
  [[nodiscard]] Sample draw(std::size_t rows, std::uint64_t seed) const;
  // Data and problem, at a fixed address.
  Result<std::unique_ptr<Instance>> instance(Engine&, std::size_t rows, std::uint64_t seed) const;

 private:
  Simulation(SimulationSpec spec, std::vector<double> optimum, Domain domain)
      : spec_(spec), optimum_(std::move(optimum)), domain_(std::move(domain)) {}
  [[nodiscard]] double lipschitz_moment(double order, bool with_constant) const;

  SimulationSpec spec_;
  std::vector<double> optimum_;
  Domain domain_;
};

}  // namespace tailcoat::experiments
