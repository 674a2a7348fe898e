// Target: what is released or given of the column that is predicted, and the labels and the start of the descent that
// follow from it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tailcoat/estimators/design.hpp"
#include "tailcoat/estimators/fit.hpp"

namespace tailcoat {

struct Start {
  double margin;
  double curvature;                // mean second derivative of the loss there
  double labelled;                 // rows that have a label, as far as that is known
  double sampling = 0, noise = 0;  // variances of the margin, where that is the answer if there are no slopes
  double clipped_share = 0;        // of the rows, likewise
  double cut = 0;                  // how far from the centre of the target numbers count, likewise
  [[nodiscard]] double variance() const { return sampling + noise; }
};

// A note where this share of the rows has a target.
std::string note_on_absent(double present, const char* why);

// A note that a mean is one of numbers that were cut.
std::string note_on_cut(const Start& start, const Feature& unit);

class Target {
 public:
  // Sketches numbers, finds classes. At most `share` of the meter's total, half of it for counts and classes.
  static Result<Target> look(const Frame&, const FitOptions&, double share, RunContext, Outlet,
                             std::vector<std::string>& notes);

  [[nodiscard]] const std::vector<std::string>& classes() const { return classes_; }
  [[nodiscard]] std::size_t parts() const { return parts_for(classes_.size()); }
  // +size where the class is the one in this place, -size where it is another.
  [[nodiscard]] LabelRule class_labels(double positive, double size) const;
  // Nothing of a number is visible.
  [[nodiscard]] bool is_unseen() const { return sketch_ && sketch_->blank; }
  // The share of the rows that have one, as far as that is known before the start.
  [[nodiscard]] double labelled() const { return labelled_ * exposed_; }
  [[nodiscard]] const Feature& unit() const { return unit_; }  // of numbers, as the descent sees them

  // Tells the design the labels of a part, in the units of the fit.
  void label(Design&, std::size_t part) const;
  // Where the descent of that part starts.
  Result<Start> start(const Design&, std::size_t part, Gdp cost, RunContext, Outlet) const;
  // How far the level of a fit may stay off, in its units.
  [[nodiscard]] double tolerated_level() const;
  // Of residuals in the units of the fit: where to cut them for their mean, released at that cost.
  [[nodiscard]] double largest_residual(const Start&, Gdp cost) const;
  // The same where bias and noise of that mean are least, of numbers too.
  [[nodiscard]] double best_residual(const Start&, Gdp cost) const;

 private:
  explicit Target(const FitOptions& options) : options_(&options) {}
  Result<void> choose_classes(const Frame&, std::size_t column, double share, RunContext, Outlet,
                              std::vector<std::string>& notes);
  Result<void> sketch(const Frame&, std::size_t column, double share, RunContext, Outlet,
                      std::vector<std::string>& notes);
  Result<void> count_missing(const Frame&, std::size_t column, double share, RunContext, Outlet);
  [[nodiscard]] LabelRule labels(std::size_t part) const;
  Result<Start> start_of_classes(const Design&, std::size_t part, Gdp cost, RunContext, Outlet) const;
  Result<Start> start_of_counts(const Design&, Gdp cost, RunContext, Outlet) const;
  [[nodiscard]] double most_count() const;
  Result<Start> mean(const Design&, Gdp cost, RunContext, Outlet) const;

  const FitOptions* options_;
  std::vector<std::string> classes_;
  std::vector<double> class_of_;  // by the level that the table's column has
  std::optional<ColumnSketch> sketch_, exposure_sketch_;
  Feature unit_;
  double labelled_ = 1, exposed_ = 1;  // shares of the rows, of numbers only
};

}  // namespace tailcoat
