#include "tailcoat/fit/terms.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace tailcoat {
namespace {

// Spread evenly over 16 bins.
ColumnSketch even(double low, double high) {
  ColumnSketch sketch;
  for (int i = 0; i < 16; ++i)
    sketch.bins.push_back({low + i * (high - low) / 16, low + (i + 1) * (high - low) / 16, 100});
  return sketch;
}

FeatureChoice choice_of(const ColumnSketch& sketch) {
  FeatureChoice choice;
  choice.features = number_features("x", sketch, 1600);
  for (std::size_t j = 0; j < choice.features.size(); ++j) choice.fitted.push_back(j);
  choice.candidates.push_back({0, {}, sketch});
  return choice;
}

// The sum of the standardised features of a cell, with these coefficients.
double value(const Terms& terms, const Eigen::VectorXd& coefficients, double cell) {
  double sum = 0;
  for (std::size_t i = 0; i < terms.size(); ++i)
    sum += coefficients[static_cast<Eigen::Index>(i)] * (terms[i].of_number(cell) - terms[i].centre) / terms[i].scale;
  return sum;
}

TEST(Terms, ANumberHasThreePiecesThatMeetAtThirdsOfItsRows) {
  const Terms terms = choose_terms(choice_of(even(0, 3)), TermsKind::additive, true);
  ASSERT_EQ(terms.size(), 3u);
  EXPECT_EQ(terms[0].kind, FeatureKind::below);
  EXPECT_EQ(terms[1].kind, FeatureKind::number);
  EXPECT_EQ(terms[2].kind, FeatureKind::above);
  EXPECT_NEAR(terms[0].high, 1, 1e-9);
  EXPECT_EQ(terms[0].high, terms[1].low);
  EXPECT_NEAR(terms[1].high, 2, 1e-9);
  EXPECT_EQ(terms[1].high, terms[2].low);
}

TEST(Terms, TheFirstIsAStraightLineOfUnitVarianceAndTheOthersBendIt) {
  const Terms terms = choose_terms(choice_of(even(0, 3)), TermsKind::additive, true);
  const Eigen::VectorXd line = terms.to_coefficients.col(0), bend = terms.to_coefficients.col(1);
  const auto slope = [&](const Eigen::VectorXd& of, double at) {
    return (value(terms, of, at + 0.01) - value(terms, of, at)) / 0.01;
  };
  for (const double at : {0.2, 1.5, 2.7}) EXPECT_NEAR(slope(line, at), 1 / (3 / std::sqrt(12)), 0.02) << at;
  EXPECT_NEAR(slope(bend, 1.2), slope(bend, 2.8), 1e-6) << "one knot";
  EXPECT_GT(std::abs(slope(bend, 1.2) - slope(bend, 0.5)), 1);
  // Of unit variance, and not correlated with the line.
  double mean = 0, square = 0, product = 0;
  for (int i = 0; i < 300; ++i) {
    const double b = value(terms, bend, (i + 0.5) / 100), l = value(terms, line, (i + 0.5) / 100);
    mean += b / 300, square += b * b / 300, product += b * l / 300;
  }
  EXPECT_NEAR(square - mean * mean, 1, 0.05);
  EXPECT_NEAR(product, 0, 0.05);
}

TEST(Terms, TwoPlacesHaveOneSlope) {
  ColumnSketch flag;
  flag.bins = {{0, 1.0 / 64, 700}, {1, 1 + 1.0 / 64, 900}};
  EXPECT_EQ(choose_terms(choice_of(flag), TermsKind::additive, true).size(), 1u);
}

TEST(Terms, LinearOnesAreOnePerNumber) {
  FeatureChoice choice = choice_of(even(0, 3));
  choice.features.push_back(
      {.column = "x", .kind = FeatureKind::beyond, .scale = 1, .low = -9, .high = 9, .knot_low = 0, .knot_high = 3});
  choice.features.push_back({.column = "x", .kind = FeatureKind::nonzero, .centre = 0.5});
  choice.fitted = {0, 1, 2};
  const Terms terms = choose_terms(choice, TermsKind::linear, false);
  ASSERT_EQ(terms.size(), 1u);
  EXPECT_EQ(terms[0].kind, FeatureKind::number);
  EXPECT_EQ(choose_terms(choice, TermsKind::additive, true).size(), 5u);
}

TEST(Terms, TheMapToCoefficientsCanBeInverted) {
  const Terms terms = choose_terms(choice_of(even(-1, 5)), TermsKind::additive, true);
  EXPECT_GT(std::abs(terms.to_coefficients.determinant()), 1e-6);
  EXPECT_EQ(terms.group.size(), terms.size());
}

}  // namespace
}  // namespace tailcoat
