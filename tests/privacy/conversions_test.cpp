#include "tailcoat/privacy/conversions.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "reference_values.hpp"

namespace tailcoat {
namespace {

constexpr double kTolerance = 4e-13;

void expect_just_below(double value, double exact, const reference::Conversion& row) {
  EXPECT_LE(value, exact) << row.epsilon << " " << row.delta;
  EXPECT_GE(value, exact * (1 - kTolerance)) << row.epsilon << " " << row.delta;
}

void expect_just_above(double value, double exact, double tolerance, const reference::Conversion& row) {
  EXPECT_GE(value, exact * (1 - 1e-15)) << row.epsilon << " " << row.delta;
  EXPECT_LE(value, exact * (1 + tolerance)) << row.epsilon << " " << row.delta;
}

TEST(Conversions, MuMatchesTheReferenceFromBelow) {
  for (const auto& row : reference::kGaussian)
    expect_just_below(to_gdp(ApproxDp{row.epsilon, row.delta})->mu, row.parameter, row);
}

TEST(Conversions, GaussianEpsilonMatchesTheReferenceFromAbove) {
  for (const auto& row : reference::kGaussian) {
    // Where delta is spent on mu alone, epsilon is the small difference of large numbers: d log epsilon / d log delta.
    const double step = 1e-6;
    const double nearby = *to_epsilon(Gdp{row.parameter}, row.delta * (1 - step));
    const double condition = std::max(1.0, (nearby / row.epsilon - 1) / step);
    expect_just_above(*to_epsilon(Gdp{row.parameter}, row.delta), row.epsilon, kTolerance * condition, row);
  }
}

TEST(Conversions, GaussianDeltaMatchesTheReferenceFromAbove) {
  for (const auto& row : reference::kGaussian)
    expect_just_above(*to_delta(Gdp{row.parameter}, row.epsilon), row.delta, kTolerance, row);
}

TEST(Conversions, RhoMatchesTheReferenceFromBelow) {
  for (const auto& row : reference::kZcdp)
    expect_just_below(to_zcdp(ApproxDp{row.epsilon, row.delta})->rho, row.parameter, row);
}

TEST(Conversions, ZcdpEpsilonMatchesTheReferenceFromAbove) {
  for (const auto& row : reference::kZcdp) {
    const double step = 1e-6;
    const double nearby = *to_epsilon(Zcdp{row.parameter}, row.delta * (1 - step));
    const double condition = std::max(1.0, (nearby / row.epsilon - 1) / step);
    expect_just_above(*to_epsilon(Zcdp{row.parameter}, row.delta), row.epsilon, kTolerance * condition, row);
  }
}

TEST(Conversions, ZcdpDeltaMatchesTheReferenceFromAbove) {
  for (const auto& row : reference::kZcdp)
    expect_just_above(*to_delta(Zcdp{row.parameter}, row.epsilon), row.delta, kTolerance, row);
}

TEST(Conversions, TheFamiliarBudgetNeedsANoiseMultiplierOf4Point2247) {
  const double mu = to_gdp(ApproxDp{1, 1e-6})->mu;
  EXPECT_NEAR(mu, 0.236704, 5e-7);
  EXPECT_NEAR(1 / mu, 4.2247, 5e-5);
  EXPECT_DOUBLE_EQ(to_zcdp(Gdp{mu})->rho, mu * mu / 2);
}

TEST(Conversions, GaussianAccountingNeedsLessNoiseThanZcdp) {
  for (const auto& row : reference::kGaussian) {
    const double mu = to_gdp(ApproxDp{row.epsilon, row.delta})->mu;
    EXPECT_GT(mu, std::sqrt(2 * to_zcdp(ApproxDp{row.epsilon, row.delta})->rho));
  }
}

TEST(Conversions, AnRdpCurveThatIsALineIsZcdp) {
  const Rdp line{[](double alpha) { return 0.05 * alpha; }};
  EXPECT_NEAR(*to_epsilon(line, 1e-6) / *to_epsilon(Zcdp{0.05}, 1e-6), 1, 1e-14);
  EXPECT_NEAR(*to_delta(line, 1) / *to_delta(Zcdp{0.05}, 1), 1, 1e-12);
}

TEST(Conversions, AnRdpCurveMayEndAtSomeOrder) {
  const Rdp cut{[](double alpha) { return alpha < 8 ? 0.05 * alpha : INFINITY; }};
  const Rdp nan_beyond{[](double alpha) { return alpha < 8 ? 0.05 * alpha : NAN; }};
  const double free = *to_epsilon(Zcdp{0.05}, 1e-6);
  EXPECT_GT(*to_epsilon(cut, 1e-6), free);  // the best order, 15, is out of reach
  EXPECT_LT(*to_epsilon(cut, 1e-6), 2 * free);
  EXPECT_EQ(*to_epsilon(nan_beyond, 1e-6), *to_epsilon(cut, 1e-6));
}

TEST(Conversions, EpsilonIsZeroWhereDeltaAloneSuffices) {
  EXPECT_EQ(*to_epsilon(Gdp{1e-9}, 0.1), 0);
  EXPECT_GT(*to_epsilon(Gdp{1e-9}, 1e-12), 0);
}

TEST(Conversions, RefuseWhatIsOutOfRange) {
  for (const double bad : {0.0, -1.0, double{NAN}, double{INFINITY}}) {
    EXPECT_FALSE(to_gdp(ApproxDp{bad, 1e-6}).ok());
    EXPECT_FALSE(to_gdp(ApproxDp{1, bad}).ok());
    EXPECT_FALSE(to_zcdp(ApproxDp{bad, 1e-6}).ok());
    EXPECT_FALSE(to_zcdp(Gdp{bad}).ok());
    EXPECT_FALSE(to_delta(Gdp{bad}, 1).ok());
    EXPECT_FALSE(to_delta(Zcdp{bad}, 1).ok());
    EXPECT_FALSE(to_epsilon(Gdp{1}, bad).ok());
    EXPECT_FALSE(to_epsilon(Zcdp{1}, bad).ok());
    EXPECT_EQ(to_epsilon(Zcdp{bad}, 0.1).error().kind, ErrorKind::usage);
  }
  EXPECT_FALSE(to_gdp(ApproxDp{1, 1}).ok());
  EXPECT_FALSE(to_delta(Gdp{1}, -1).ok());
  EXPECT_FALSE(to_delta(Gdp{1}, NAN).ok());
  EXPECT_FALSE(to_delta(Rdp{}, 1).ok());
  EXPECT_FALSE(to_epsilon(Rdp{}, 0.1).ok());
}

TEST(Conversions, SayWhenThereIsNoFiniteAnswer) {
  EXPECT_EQ(to_epsilon(Gdp{1e200}, 1e-6).error().kind, ErrorKind::refused);
  EXPECT_EQ(to_zcdp(Gdp{1e200}).error().kind, ErrorKind::refused);
  EXPECT_EQ(to_epsilon(Rdp{[](double) { return INFINITY; }}, 1e-6).error().kind, ErrorKind::refused);
}

TEST(Conversions, HoldAtTheEndsOfTheNumberRange) {
  for (const double epsilon : {1e-300, 1e-20, 1e20, 1e300})
    for (const double delta : {1e-300, 1e-30, 0.999999, std::nextafter(1, 0)}) {
      const double mu = to_gdp(ApproxDp{epsilon, delta})->mu;
      EXPECT_GT(mu, 0);
      EXPECT_LE(*to_delta(Gdp{mu}, epsilon), delta * (1 + 1e-12)) << epsilon << " " << delta;
      const double rho = to_zcdp(ApproxDp{epsilon, delta})->rho;
      EXPECT_GE(rho, 0);
      EXPECT_TRUE(std::isfinite(rho));
    }
}

}  // namespace
}  // namespace tailcoat
