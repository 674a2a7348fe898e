// Features without a part in the model, fits by a theorem, and "How well it fits".
#include <cmath>
#include <limits>

#include "pages.hpp"
#include "tailcoat/report/words.hpp"

namespace tailcoat {
namespace {

using namespace report_examples;
using report::Role;

constexpr double kInf = std::numeric_limits<double>::infinity();

Example with_bars(std::vector<Diagnosis::Bar> bars, double noise) {
  Example example = house_prices();
  example.fit.diagnosis = Diagnosis{.residuals = std::move(bars), .calibration = {}, .noise = noise};
  return example;
}

Example with_chances(std::vector<Diagnosis::Chance> chances, double noise) {
  Example example = loans();
  example.fit.diagnosis = Diagnosis{.residuals = {}, .calibration = std::move(chances), .noise = noise};
  return example;
}

TEST(LeftOut, LevelsAreReferencesAndTailsAreFaint) {
  const std::vector<Role> roles = report::roles_of(claims().fit.model);
  EXPECT_EQ(roles[1], Role::faint);
  EXPECT_EQ(roles[3], Role::reference);
  EXPECT_EQ(roles[4], Role::fitted);
  for (const Role role : report::roles_of(constant().fit.model)) EXPECT_EQ(role, Role::unused);
}

TEST(LeftOut, AFeatureOfOnePartIsPartOfTheModel) {
  Model model = three_classes().fit.model;
  model.parts[0].coefficients[5] = {};
  EXPECT_EQ(report::roles_of(model)[5], Role::fitted);
  for (LinearPart& part : model.parts) part.coefficients[5] = {};
  EXPECT_EQ(report::roles_of(model)[5], Role::reference);
  model.parts[2].coefficients[5].standard_error = 0.1;
  EXPECT_EQ(report::roles_of(model)[5], Role::fitted) << "a zero that was measured";
}

TEST(LeftOut, OfOnePartIsMarkedThere) {
  Example example = three_classes();
  const std::string whole = page(example);
  EXPECT_FALSE(has(whole, "left out"));
  example.fit.model.parts[0].coefficients[0] = left_out();
  const std::string html = page(example);
  EXPECT_EQ(report::roles_of(example.fit.model)[0], Role::fitted);
  EXPECT_EQ(occurrences(html, "<td colspan=\"3\">not used</td>"), 1u);
  EXPECT_EQ(occurrences(html, "<span class=\"size\">left out</span>"), 1u);
  EXPECT_EQ(occurrences(html, "class=\"dot\""), occurrences(whole, "class=\"dot\"") - 1);
  EXPECT_FALSE(has(html, "nan"));
}

TEST(LeftOut, AClassThatFellBackToTheConstantHasHollowDotsAtZeroAndWordsInTheLegend) {
  Example example = three_classes();
  const std::string words = "constant: for this class";
  const std::string whole = page(example);
  EXPECT_FALSE(has(whole, words));
  auto& coefficients = example.fit.model.parts[1].coefficients;
  std::ranges::fill(coefficients, left_out());
  const std::string html = page(example);
  EXPECT_EQ(occurrences(html, words), 1u);
  EXPECT_EQ(occurrences(html, "<span class=\"size\">constant</span>"), coefficients.size());
  EXPECT_FALSE(has(html, "<span class=\"size\">left out</span>"));
  EXPECT_EQ(occurrences(html, "class=\"dot\""), occurrences(whole, "class=\"dot\"") + 1) << "that of the legend";
  EXPECT_EQ(occurrences(html, "class=\"range\""), occurrences(whole, "class=\"range\"") - coefficients.size());
}

TEST(LeftOut, IsNotDrawnButNamedAndMarked) {
  const std::string html = page(claims());
  EXPECT_EQ(occurrences(html, "class=\"name\""), 6u);
  EXPECT_TRUE(has(html,
                  "<bdi>region</bdi>: compared with <bdi>north</bdi>; <bdi>fuel</bdi>: compared with "
                  "<bdi>petrol</bdi>."));
  EXPECT_TRUE(has(html, "Left out, too faint to tell: <bdi>car_<wbr>value</bdi> beyond 52,000."));
  EXPECT_EQ(occurrences(html, "<td colspan=\"3\">reference</td>"), 2u);
  EXPECT_EQ(occurrences(html, "<td colspan=\"3\">left out: too faint to tell</td>"), 1u);
  EXPECT_TRUE(has(html, "5 of 6 effects are clearly different from zero"));
  EXPECT_TRUE(has(html, "All 6 coefficients"));
  EXPECT_FALSE(has(page(house_prices()), "compared with"));
}

TEST(LeftOut, TheOnlyLevelOfAColumnIsComparedWithNothing) {
  Example example = house_prices();
  for (std::size_t j = 8; j < 13; ++j) example.fit.model.parts[0].coefficients[j] = {};
  EXPECT_FALSE(has(page(example), "compared with"));
}

TEST(LeftOut, AnExampleOfALevelNamesWhatItIsComparedWith) {
  Example example = claims();
  example.fit.model.parts[0].coefficients[0] = {1e-9, 1e-3, -1, 1};
  EXPECT_TRUE(has(page(example), "which is <bdi>city</bdi> in the second and <bdi>north</bdi> in the first"));
}

TEST(ByTheorem, DrawsDotsWithoutLinesInOneTone) {
  const std::string text = section(page(by_theorem()), "says");
  EXPECT_EQ(occurrences(text, "<li class=\"plain\">"), 4u);
  for (const char* absent :
       {"class=\"range\"", "class=\"tip\"", "could be zero", "interval", "tandard error", "∞", "ypical spread"})
    EXPECT_FALSE(has(text, absent)) << absent;
  EXPECT_TRUE(has(text, "<bdi>city</bdi>: compared with <bdi>Graz</bdi>"));
}

TEST(ByTheorem, SaysWhatTheBoundMeansRoundedUp) {
  Example example = by_theorem();
  std::string html = page(example);
  EXPECT_TRUE(has(html, "on average, its expected loss is at most 0.124 above that of the best model of its form"));
  EXPECT_TRUE(has(section(html, "trust"), "It holds on average over the rows"));
  EXPECT_FALSE(has(html, "says nothing here"));
  for (const char* absent : {"wider than", "Rows whose pull", "What limits", "another budget", "chance in the data"})
    EXPECT_FALSE(has(html, absent)) << absent;
  example.fit.certified->failure_probability = 0.05;
  html = page(example);
  EXPECT_TRUE(has(html, "with a chance of at least 95\u202F%, its expected loss is at most 0.124"));
  example.fit.certified->failure_probability = 1e-9;
  EXPECT_FALSE(has(page(example), "at least 100"));
}

TEST(ByTheorem, ABoundThatAModelWithoutDataMeetsIsCalledEmpty) {
  Example example = by_theorem();
  example.fit.certified->excess_risk = 0.6932;  // the logistic loss at 0 is log 2 = 0.69315
  EXPECT_TRUE(has(page(example), "This bound says nothing here"));
  example.fit.certified->excess_risk = 0.6931;
  EXPECT_FALSE(has(page(example), "This bound says nothing here"));
  example.fit.certified->excess_risk = kInf;
  EXPECT_TRUE(has(page(example), "gives no bound for these settings"));
  EXPECT_TRUE(well_formed(page(example)));
  example.fit.certified = Bound{.excess_risk = 0.5, .trivial = true};
  EXPECT_TRUE(has(page(example), "promises no more for these settings than a model that has seen no data"));
  EXPECT_TRUE(has(page(example), "no better bound than <strong>0.5</strong>"));
  EXPECT_FALSE(has(page(example), "bounds the loss of this model"));
  EXPECT_TRUE(well_formed(page(example)));
}

TEST(Diagnosis, TheSectionIsThereOnlyIfItWasMeasured) {
  EXPECT_FALSE(has(page(house_prices()), "How well it fits"));
  EXPECT_FALSE(has(page(with_bars({}, 1)), "How well it fits"));
  EXPECT_TRUE(has(page(claims()), "How well it fits"));
  EXPECT_TRUE(has(page(loans()), "How well it fits"));
}

// 100 rows evenly in -10 to 10: half are within 5. With 100 more beyond, half are within 10.
TEST(Residuals, TheMedianIsReadOffTheBins) {
  const std::vector<Diagnosis::Bar> even{{-10, -2, 40}, {-2, 2, 20}, {2, 10, 40}};
  EXPECT_TRUE(has(page(with_bars(even, 0)), "Half of the predictions are off by less than about 5."));
  EXPECT_TRUE(has(page(with_bars(even, 0)), "areas compare"));
  std::vector<Diagnosis::Bar> tails = even;
  tails.push_back({10, kInf, 90});
  EXPECT_TRUE(has(page(with_bars(tails, 0)), "off by less than about 9.5."));
  EXPECT_TRUE(has(page(with_bars(tails, 0)), "47\u202F% of the rows are further off"));
  tails.back().rows = 200;
  EXPECT_TRUE(has(page(with_bars(tails, 0)), "More than half of the predictions are off by more"));
}

TEST(Residuals, NegativeCountsHaveNoHeight) {
  const std::string text = section(page(with_bars({{-2, -1, -40}, {-1, 0, 500}, {0, 1, 500}, {1, 2, 30}}, 35)), "fits");
  EXPECT_TRUE(has(text, "<title>−2 to −1: 0\u202F% of the rows</title>"));
  EXPECT_FALSE(has(text, "height=\"-"));
  EXPECT_TRUE(has(text, "noise for privacy: about 35 rows up or down"));
  EXPECT_EQ(occurrences(text, "class=\"band\""), 5u) << "four bars and the legend";
}

TEST(Residuals, CountsThatAreNoiseShowNothing) {
  const std::string text = section(page(with_bars({{-1, 0, 50}, {0, 1, 40}}, 60)), "fits");
  EXPECT_TRUE(has(text, "cannot be told"));
  EXPECT_FALSE(has(text, "<svg"));
  EXPECT_TRUE(has(page(with_bars({{-1, 1, 500}, {1, kInf, 15}}, 10)), "Hardly any row is further off"));
}

TEST(Calibration, BinsOfFewRowsAreLeftOut) {
  const std::string text = section(page(loans()), "fits");
  EXPECT_EQ(occurrences(text, "class=\"dot\""), 8u) << "90 rows and -12 are below 3 * 45";
  EXPECT_TRUE(has(text, "2 groups of too few rows"));
  EXPECT_TRUE(has(text, "Predicted chances can be taken at face value, as far as can be told"));
}

TEST(Calibration, SaysWhetherChancesAreTrue) {
  const auto said = [](double first, double second, double error) {
    return section(page(with_chances({{0.2, 1000, first, error}, {0.8, 1000, second, error}}, 10)), "fits");
  };
  EXPECT_TRUE(has(said(0.21, 0.79, 0.01), "can be taken at face value, as far"));
  EXPECT_TRUE(has(said(0.215, 0.785, 0.003), "can nearly be taken at face value: they are off by about 1.5"));
  EXPECT_TRUE(has(said(0.3, 0.7, 0.01),
                  "cannot be taken at face value: they are off by about 10 percentage points on "
                  "average; they are too extreme"));
  EXPECT_TRUE(has(said(0.1, 0.9, 0.01), "they are too cautious"));
  EXPECT_TRUE(has(said(0.3, 0.9, 0.01), "they are too low"));
  EXPECT_TRUE(has(said(0.1, 0.7, 0.01), "they are too high"));
  EXPECT_TRUE(has(said(0.3, 0.6, 0.2), "cannot be told"));
  EXPECT_TRUE(has(section(page(with_chances({{0.2, 20, 0.2, 0.1}}, 10)), "fits"), "cannot be told"));
}

}  // namespace
}  // namespace tailcoat
