#include "tailcoat/estimators/curve.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "fitting.hpp"
#include "tailcoat/estimators/predict.hpp"
#include "tailcoat/estimators/strength.hpp"

namespace tailcoat {
namespace {

constexpr ApproxDp kBudget{1, 1e-6};
const FitOptions kPlain{.target = "y", .budget = kBudget};
constexpr double kMeanOfMagnitude = 0.7978845608, kDeviationOfMagnitude = 0.6028102749;  // of |z|, z standard normal

// Three columns, and what is said of their sum m and of a random number.
using Outcome = std::function<double(double m, Random& random)>;
Table three_columns(std::size_t rows, std::uint64_t seed, const Outcome& y) {
  return simulated({{.name = "a"}, {.name = "b"}, {.name = "c"}, {.name = "y"}}, rows, seed, [&](Random& random) {
    const double a = normal(random), b = normal(random), c = normal(random);
    return std::vector{a, b, c, y(0.5 * a + 0.4 * b - 0.3 * c, random)};
  });
}
double line(double m, Random& random) { return 10 * m + 5 * normal(random); }
double in_proportion(double m, Random& random) { return 100 * std::exp(m + 0.1 * normal(random)); }
double saturating(double m, Random& random) { return 100 - 100 * std::exp(-m) + 5 * normal(random); }

double squared_error(const Model& model, const Table& table) {
  auto predictor = Predictor::create(model, table.columns());
  if (!predictor) stop_at(predictor.error());
  const Frame frame = frame_of(table);
  const auto cells = std::get<RowsOf<double>>(frame.cells);
  double sum = 0;
  for (std::size_t i = 0; i < cells.rows; ++i)
    sum += std::pow(predictor->predict(cells.row(i)).value - cells.row(i).back(), 2);
  return sum / static_cast<double>(cells.rows);
}

std::size_t gradients(const Fit& fit, const std::string& of = "") {
  return static_cast<std::size_t>(std::ranges::count_if(fit.model.receipt.lines, [&](const ReceiptLine& line) {
    return line.release.what.starts_with(of + "gradient, step");
  }));
}

TEST(Curve, IsTwoLinesThatMeetInTheKnot) {
  const Curve curve{.knot = 10, .below = 0.5, .above = 1.5};
  EXPECT_DOUBLE_EQ(curve(10), 10);
  EXPECT_DOUBLE_EQ(curve(6), 8);
  EXPECT_DOUBLE_EQ(curve(14), 16);
  EXPECT_FALSE(curve.is_straight());
  const Curve none{.knot = 1e300};
  EXPECT_TRUE(none.is_straight());
  EXPECT_EQ(none(0.1), 0.1);  // to the bit
}

TEST(Curve, EffectsInProportionBendUpwards) {
  const Table test = three_columns(20000, 99, in_proportion);
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const auto bent = fitted(three_columns(20000, seed, in_proportion), kPlain, seed);
    FitOptions straight = kPlain;
    straight.straight = true;
    const auto line = fitted(three_columns(20000, seed, in_proportion), straight, seed);
    ASSERT_TRUE(bent.ok() && line.ok());
    const Curve curve = curve_of(bent->model);
    EXPECT_GT(curve.above, 1.2) << seed;
    EXPECT_NEAR(curve.below + curve.above, 2, 1e-12) << seed;
    EXPECT_NEAR(curve.knot, 75, 25) << seed;  // that of the best two lines; without a bend it would be 129
    EXPECT_TRUE(curve_of(line->model).is_straight());
    EXPECT_LT(squared_error(bent->model, test), 0.7 * squared_error(line->model, test)) << seed;
  }
}

TEST(Curve, EffectsThatSaturateBendDownwards) {
  const auto fit = fitted(three_columns(20000, 3, saturating), kPlain);
  ASSERT_TRUE(fit.ok()) << fit.error().message;
  EXPECT_LT(curve_of(fit->model).above, 0.8);
  EXPECT_GT(curve_of(fit->model).below, 1.2);
}

// A bend is believed from 3 standard errors on: a line has one by chance in 0.3 % of fits, if these are right.
TEST(Curve, LinesHaveNone) {
  int bent = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    for (const Loss& loss : {Loss{SquaredLoss{}}, Loss{AbsoluteLoss{}}}) {
      FitOptions options = kPlain;
      options.loss = loss;
      const auto fit = fitted(three_columns(8000, seed, line), options, seed);
      ASSERT_TRUE(fit.ok()) << fit.error().message;
      bent += curve_of(fit->model).is_straight() ? 0 : 1;
    }
  }
  EXPECT_LE(bent, 3);  // more have a chance below 1e-4
}

// All that is to be learned is by how much two columns differ that say nearly the same: noise hides it, and a descent
// comes a tenth of the way. Where the margins lead is seen, and how steep they have to be.
TEST(Curve, LeadsToSlopesThatADescentHasNotComeTo) {
  const auto differing = [](std::uint64_t seed) {
    return simulated({{.name = "a"}, {.name = "b"}, {.name = "y"}}, 2000, seed, [](Random& random) {
      const double a = normal(random), b = a + 0.04 * normal(random);
      return std::vector{a, b, 25 * (b - a) + 0.3 * normal(random)};
    });
  };
  FitOptions options = kPlain;
  options.budget = {10, 1e-6};
  const Table test = differing(99);
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const auto fit = fitted(differing(seed), options, seed);
    ASSERT_TRUE(fit.ok()) << fit.error().message;
    EXPECT_LT(squared_error(fit->model, test), 0.6) << seed << ": that of a constant is 1.09";
  }
}

TEST(Curve, CountsMayHaveOne) {
  FitOptions options = kPlain;
  options.loss = PoissonLoss{};
  options.budget = {10, 1e-6};
  const Outcome y = [](double m, Random& random) {
    return static_cast<double>(std::poisson_distribution<int>(std::exp(m > 0 ? 3 * m : 0.3 * m))(random));
  };
  const auto fit = fitted(three_columns(20000, 5, y), options);
  ASSERT_TRUE(fit.ok()) << fit.error().message;
  EXPECT_GT(curve_of(fit->model).above, 1.2);
}

TEST(Curve, ClassesFewRowsAndStraightFitsHaveNoLookForIt) {
  const auto count = [](const FitOptions& options, std::size_t rows) {
    const auto fit = fitted(three_columns(rows, 1, in_proportion), options);
    if (!fit) stop_at(fit.error());
    EXPECT_TRUE(curve_of(fit->model).is_straight());
    EXPECT_EQ(gradients(*fit, "curve, "), 0u);
    return gradients(*fit);
  };
  FitOptions straight = kPlain;
  straight.straight = true;
  const std::size_t steps = count(straight, 20000);
  EXPECT_EQ(count(kPlain, 1000), 16u);  // strength 237
  const auto curved = fitted(three_columns(20000, 1, in_proportion), kPlain);
  ASSERT_TRUE(curved.ok());
  EXPECT_EQ(gradients(*curved), steps);
  EXPECT_EQ(gradients(*curved, "curve, "), 6u);
  const Strength of_classes(LogisticLoss{}, 20000, Gdp{1}), of_counts(PoissonLoss{}, 20000, Gdp{1});
  EXPECT_EQ(of_classes.shares(3).curve, 0);
  EXPECT_GT(of_counts.shares(3).curve, 0);
}

TEST(Curve, IsPaidForWithinTheBudget) {
  const auto fit = fitted(three_columns(20000, 1, in_proportion), kPlain);
  ASSERT_TRUE(fit.ok()) << fit.error().message;
  ASSERT_FALSE(curve_of(fit->model).is_straight());
  double squares = 0, of_curve = 0;
  for (const ReceiptLine& line : fit->model.receipt.lines) {
    squares += line.price.mu * line.price.mu;
    if (line.release.what.starts_with("curve, ")) of_curve += line.price.mu * line.price.mu;
  }
  const double budget = fit->model.receipt.gaussian_budget.mu;
  EXPECT_LE(std::sqrt(squares), budget * (1 + 1e-12));
  EXPECT_GE(std::sqrt(squares), 0.99 * budget);
  EXPECT_NEAR(of_curve / (budget * budget), 0.07, 1e-6);
}

TEST(Curve, SameBitsOnAnyNumberOfThreads) {
  const auto one = fitted(three_columns(20000, 1, in_proportion), kPlain, 1, 1);
  const auto four = fitted(three_columns(20000, 1, in_proportion), kPlain, 1, 4);
  ASSERT_TRUE(one.ok() && four.ok());
  EXPECT_EQ(to_json(one->model), to_json(four->model));
}

// The slopes of the average effect: in proportion, with m normal, the mean derivative of E y is that of E y itself.
TEST(Curve, CoefficientsAreAverageEffects) {
  const double mean = 100 * std::exp(0.5 * (0.25 + 0.16 + 0.09) + 0.005);
  const auto fit = fitted(three_columns(100000, 7, in_proportion), FitOptions{.target = "y", .budget = kGenerous});
  ASSERT_TRUE(fit.ok()) << fit.error().message;
  const auto found = estimates(fit->model);
  for (const auto& [name, slope] : Truth{{"a", 0.5}, {"b", 0.4}, {"c", -0.3}})
    if (found.contains(name)) {
      EXPECT_NEAR(found.at(name).value, slope * mean, 0.15 * std::abs(slope) * mean) << name;
    }
}

struct MadeRows {
  std::vector<float> rows;
  std::vector<double> labels, weights;
};

MadeRows made_of(const CurveRows& rows, std::size_t piece) {
  MadeRows made;
  std::vector<float, VectorAllocator<float>> space(piece * padded(3));
  std::vector<double> labels(piece), weights(piece);
  for (std::size_t i = 0; i < rows.rows(); i += piece) {
    const RowsOf<float> part =
        rows.make(i, std::min(rows.rows(), i + piece), {space.data(), labels.data(), weights.data(), nullptr});
    for (std::size_t k = 0; k < part.rows; ++k) {
      made.rows.insert(made.rows.end(), part.row(k).begin(), part.row(k).end());
      made.labels.push_back(labels[k]);
      made.weights.push_back(weights[k]);
    }
  }
  return made;
}

class RowsOfMargins : public testing::Test {
 protected:
  RowsOfMargins() {
    for (int i = 0; i < 500; ++i) {
      margins_.push_back(static_cast<float>(0.02 * i - 3));
      cells_.insert(cells_.end(), {static_cast<double>(i), 0.5 * i});
    }
    margins_[3] = 1e30F;
    margins_[4] = -std::numeric_limits<float>::infinity();
    table_ = std::make_unique<Table>(table_of({{.name = "x"}, {.name = "y"}}, cells_));
    frame_ = std::make_unique<Frame>(frame_of(*table_));
    const DesignColumns columns{.features = {{.column = "x"}}, .fitted = {0}, .target = "y"};
    auto design = Design::create(*frame_, columns, 1.5);
    if (!design) stop_at(design.error());
    design_ = std::make_unique<Design>(std::move(*design));
  }

  std::vector<float> margins_;
  std::vector<double> cells_;
  std::unique_ptr<Table> table_;
  std::unique_ptr<Frame> frame_;
  std::unique_ptr<Design> design_;
};

// No margin, however large, makes a row long: a release of their second moments, and of gradients, rests on cuts of
// its own, and the descent on this.
TEST_F(RowsOfMargins, AreBendSlopeAndLevel) {
  const double middle = 1, spread = 0.5;
  const CurveRows rows(*design_, margins_, middle, spread);
  const MadeRows made = made_of(rows, 64);
  for (std::size_t i = 0; i < margins_.size(); ++i) {
    const double z = std::clamp((static_cast<double>(margins_[i]) - middle) / spread, -6.0, 6.0);
    const double bend = (std::abs(z) - kMeanOfMagnitude) / kDeviationOfMagnitude;
    EXPECT_NEAR(made.rows[3 * i], bend, 1e-5) << i;
    EXPECT_NEAR(made.rows[3 * i + 1], z, 1e-5) << i;
    EXPECT_NEAR(made.rows[3 * i + 2], 1, 1e-5) << i;
    EXPECT_EQ(made.labels[i], cells_[2 * i + 1]) << i;
    EXPECT_NEAR(made.weights[i], std::min(1.0, 4.3 * 4.3 / (bend * bend + z * z + 1)), 1e-6) << i;
  }
  // With the coefficients of straight() the margin is what it was.
  const Eigen::Vector3d straight = rows.straight();
  for (const std::size_t i : {100u, 250u, 300u})
    EXPECT_NEAR(straight[0] * made.rows[3 * i] + straight[1] * made.rows[3 * i + 1] + straight[2], margins_[i], 1e-5);
}

// Privacy rests on it: what is made of a row is a function of that row alone, in whatever piece.
TEST_F(RowsOfMargins, DependOnTheirOwnRowAlone) {
  const MadeRows all = made_of(CurveRows(*design_, margins_, 1, 0.5), 500);
  const MadeRows single = made_of(CurveRows(*design_, margins_, 1, 0.5), 1);
  EXPECT_EQ(all.rows, single.rows);
  EXPECT_EQ(all.labels, single.labels);
  EXPECT_EQ(all.weights, single.weights);
  margins_[250] = 77;
  const MadeRows neighbour = made_of(CurveRows(*design_, margins_, 1, 0.5), 500);
  for (std::size_t i = 0; i < margins_.size(); ++i) {
    const bool same = std::equal(all.rows.begin() + static_cast<std::ptrdiff_t>(3 * i),
                                 all.rows.begin() + static_cast<std::ptrdiff_t>(3 * i + 3),
                                 neighbour.rows.begin() + static_cast<std::ptrdiff_t>(3 * i)) &&
                      all.weights[i] == neighbour.weights[i];
    EXPECT_EQ(same, i != 250) << i;
  }
}

// Of two lines, 100 + 2 (m - 100) below and 100 + 6 (m - 100) above, for m = 100 + x: an average slope of 4.
TEST(FollowedCurve, KeepsPredictions) {
  const Table table = simulated({{.name = "x"}, {.name = "y"}}, 4, 1, [](Random&) { return std::vector{0.0, 0.0}; });
  const Frame frame = frame_of(table);
  auto design = Design::create(frame, {.features = {{.column = "x"}}, .fitted = {0}, .target = "y"}, 1.5);
  ASSERT_TRUE(design.ok());
  const double spread = 2, slope = 4, turn = 2, value = 100;
  CurvedFit curved;
  curved.rows = std::make_unique<CurveRows>(*design, std::vector<float>(4), 100, spread);
  curved.found = {
      Eigen::Vector3d(turn * spread * kDeviationOfMagnitude, slope * spread, value + turn * spread * kMeanOfMagnitude),
      Eigen::Vector3d(0.01, 0.04, 0.09).asDiagonal()};
  Coefficients found{Eigen::Vector2d(1, 100), Eigen::Matrix2d::Identity()};
  const Eigen::Matrix2d half = Eigen::Matrix2d::Identity() / 2;
  Errors errors{half, half, half};
  const Curve curve = follow(curved, found, errors, no_whitening(2));  // the mean row is (0, 1)
  for (const double x : {-30.0, -1.0, 0.0, 0.5, 20.0})
    EXPECT_NEAR(curve(found.values[0] * x + found.values[1]), value + (x < 0 ? 2 : 6) * x, 1e-6) << x;
  EXPECT_NEAR(found.covariance(0, 0), 16 + 0.04 / 4, 1e-9);  // 4^2, and the error of the slope
  const double of_knot = 0.09 + 0.01 * std::pow(kMeanOfMagnitude / kDeviationOfMagnitude, 2);
  EXPECT_NEAR(found.covariance(1, 1), of_knot, 1e-7);  // the level is measured anew
  EXPECT_TRUE((errors.noise + errors.sampling).isApprox(found.covariance, 1e-9));
  EXPECT_NEAR(errors.unlearned(0, 0), 8, 1e-9) << "a curve tells nothing of it";
}

}  // namespace
}  // namespace tailcoat
