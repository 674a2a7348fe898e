#include "tailcoat/report/report.hpp"

#include <gtest/gtest.h>

#include <utility>

#include "pages.hpp"
#include "tailcoat/report/sections.hpp"
#include "tailcoat/report/words.hpp"

namespace tailcoat {
namespace {

using namespace report_examples;

TEST(Report, EveryPageIsWellFormed) {
  for (const Example& example : all()) {
    const std::string html = page(example);
    EXPECT_TRUE(well_formed(html)) << example.name;
    EXPECT_TRUE(html.starts_with("<!DOCTYPE html>"));
    EXPECT_TRUE(has(html, "prefers-color-scheme:dark"));
    EXPECT_TRUE(has(html, "@media print"));
    EXPECT_LT(html.size(), 200000u) << "names of 10,000 characters are cut";
  }
}

TEST(Report, NothingIsFetched) {
  const std::string html = page(house_prices());
  for (const char* reaches_out : {"href", "src=", "url(", "@import", "http:", "https:", "<script", "<img"})
    EXPECT_FALSE(has(html, reaches_out)) << reaches_out;
}

TEST(Report, NamesAreTextNotCode) {
  const std::string html = page(hostile());
  EXPECT_FALSE(has(html, "<script"));
  EXPECT_FALSE(has(html, "<img"));
  EXPECT_TRUE(has(html, "&lt;script&gt;window.<wbr>owned=1"));
  EXPECT_FALSE(has(html, "\u202E"));
  EXPECT_FALSE(has(html, "\xff"));
  EXPECT_TRUE(has(html, "مساحة البيت"));
}

TEST(Report, SaysWhatWasModelledFromHowManyRows) {
  const std::string html = page(house_prices());
  EXPECT_TRUE(has(html, "predicts a typical <em><bdi>median_<wbr>house_<wbr>value</bdi></em>, fitted to 20,640 rows"));
  EXPECT_TRUE(has(html, "9 of 14 effects are clearly different from zero"));
  EXPECT_TRUE(has(page(three_classes()), "which of 3 classes"));
  EXPECT_TRUE(has(page(many_features()), "the expected number of <em><bdi>claims</bdi></em> per unit of <bdi>years"));
}

// 6.4 % of the rows were held back in this fit.
TEST(Report, ASquaredLossThatHeldRowsBackIsNotSaidToGiveTheAverage) {
  Example houses = house_prices();
  const std::string held_back = page(houses);
  EXPECT_FALSE(has(held_back, "predicts the average"));
  EXPECT_TRUE(has(held_back, "Typical rather than average: 6.4\u202F% of the rows were far off"));
  houses.fit.limits.clipped_share = 0.004;
  const std::string whole = page(houses);
  EXPECT_TRUE(has(whole, "predicts the average of <em>"));
  EXPECT_TRUE(has(whole, "</em> (rows that are far off count less), fitted to"));
  EXPECT_FALSE(has(whole, "rather than average"));
  houses.fit.limits.clipped_share = 0.064;
  houses.fit.model.loss = HuberLoss{};
  EXPECT_FALSE(has(page(houses), "rather than average")) << "Huber's loss promises no average";
}

TEST(Report, CountsTheFeaturesThatTheModelHas) {
  EXPECT_TRUE(has(page(house_prices()), "<dt>features</dt><dd>14</dd>"));
  EXPECT_TRUE(has(page(constant()), "<dt>features</dt><dd>0</dd>"));
  Example houses = house_prices();
  houses.fit.model.parts[0].coefficients[0] = left_out();
  houses.fit.model.parts[0].coefficients[8] = {};
  EXPECT_TRUE(has(page(houses), "<dt>features</dt><dd>12</dd>"));
}

TEST(Report, EffectsAreCoefficientsTimesSpreadStrongestFirst) {
  const Example houses = house_prices();
  const report::Effect effect = report::effect_of(houses.fit.model, 0, 7);
  EXPECT_NEAR(effect.size.value, 70100, 1e-6);
  EXPECT_NEAR(effect.size.high, 70100 + 1.96 * 1100, 1e-6);
  const std::vector<std::size_t> order = report::strongest_first(houses.fit.model);
  EXPECT_EQ(std::vector(order.begin(), order.begin() + 3), (std::vector<std::size_t>{7, 1, 0}));
  EXPECT_TRUE(has(page(houses),
                  "raises the predicted <bdi>median_<wbr>house_<wbr>value</bdi> by 70,100 (95\u202F% interval 67,944 "
                  "to 72,256)"));
}

TEST(Report, EveryClassHasAPanelAndATable) {
  const std::string html = page(three_classes());
  EXPECT_EQ(occurrences(html, "<figure class=\"effects\">"), 3u);
  EXPECT_EQ(occurrences(html, "All 7 coefficients in the units of the file"), 3u);
}

TEST(Report, OfManyFeaturesTheStrongestAreDrawnAndAllAreListed) {
  const std::string html = page(many_features());
  EXPECT_EQ(occurrences(html, "class=\"name\""), 40u);
  EXPECT_TRUE(has(html, "the 40 strongest of 200 features"));
  EXPECT_EQ(occurrences(section(html, "says"), "<th scope=\"row\">"), 201u) << "and the intercept";
}

TEST(Report, TheTableSaysHowCellsAreRead) {
  const std::string html = page(house_prices());
  EXPECT_TRUE(has(html, "cut at −8.8 and 79.4; 29 if missing"));
  EXPECT_TRUE(has(html, "1 if <bdi>INLAND</bdi>, 0 if another known level; 0.32 if missing or unknown"));
  EXPECT_TRUE(has(html, "1 if the cell is missing, else 0"));
}

TEST(Report, AFeatureBeyondItsKnotsIsNamedAndIsNoExample) {
  Example example = house_prices();
  Feature& income = example.fit.model.features[7];
  income.kind = FeatureKind::beyond;
  income.centre = 0;
  income.knot_low = 1.5;
  income.knot_high = 8;
  const std::string html = page(example);
  EXPECT_TRUE(has(html, "<bdi>median_<wbr>income</bdi> beyond 1.5 to 8"));
  EXPECT_TRUE(has(html, "how far beyond 1.5 to 8, negative below; cut at −1.57 and 10.33; 0 if missing"));
  EXPECT_TRUE(has(html, "alike in all but <em><bdi>latitude</bdi></em>"));
}

TEST(Report, ACurveIsExplained) {
  Example example = house_prices();
  EXPECT_FALSE(has(page(example), "has a curve"));
  example.fit.model.parts[0].curve = {.knot = 2.5, .below = 0.75, .above = 1.25};
  const std::string html = page(example);
  EXPECT_TRUE(well_formed(html));
  EXPECT_TRUE(
      has(html, "where its prediction is below 2.5, changes count times 0.75, and where it is above, times 1.25"));
  EXPECT_TRUE(has(html, "That is on average: "));
}

TEST(Report, BothSidesOfABendAreNamedAndTheExampleSaysWhichIsMeant) {
  Example example = house_prices();
  Model& model = example.fit.model;
  Feature above = model.features[7];
  above.kind = FeatureKind::above;
  above.low = 4;
  above.centre = 4.5;
  Feature& below = model.features[7];
  below.kind = FeatureKind::below;
  below.high = 4;
  below.centre = 3.25;
  model.features.insert(model.features.begin() + 8, above);
  auto& coefficients = model.parts[0].coefficients;
  coefficients.insert(coefficients.begin() + 8, Estimate(coefficients[7]));
  coefficients[8].value *= 0.1;
  const std::string html = page(example);
  EXPECT_TRUE(well_formed(html));
  EXPECT_TRUE(has(html, "<bdi>median_<wbr>income</bdi> below 4"));
  EXPECT_TRUE(has(html, "<bdi>median_<wbr>income</bdi> above 4"));
  EXPECT_TRUE(has(html, "cut at −1.57 and 4; 3.25 if missing"));
  EXPECT_TRUE(has(html, "cut at 4 and 10.33; 4.5 if missing"));
  EXPECT_TRUE(has(html, "alike in all but <em><bdi>median_<wbr>income</bdi></em>"));
  EXPECT_TRUE(has(html, "(1.7) higher in the second, and below 4 in both"));
  const std::vector<std::size_t> order = report::strongest_first(model);
  EXPECT_EQ(std::vector(order.begin(), order.begin() + 2), (std::vector<std::size_t>{7, 8})) << "side by side";
  EXPECT_TRUE(has(html, "“<bdi>median_<wbr>income</bdi> below 4” is"));
  coefficients[8] = std::exchange(coefficients[7], {});
  EXPECT_TRUE(has(page(example), "(1.7) higher in the second, and above 4 in both"));
  EXPECT_FALSE(has(page(house_prices()), " in both"));
  EXPECT_FALSE(has(page(house_prices()), "columns bend"));
}

TEST(Report, AFeatureForZerosIsNamedAndIsNoExample) {
  Example example = house_prices();
  Feature& income = example.fit.model.features[7];
  income.kind = FeatureKind::nonzero;
  income.centre = 0.25;
  const std::string html = page(example);
  EXPECT_TRUE(has(html, "<bdi>median_<wbr>income</bdi> is not 0"));
  EXPECT_TRUE(has(html, "1 if the cell is not 0, else 0; 0.25 if missing"));
  EXPECT_TRUE(has(html, "alike in all but <em><bdi>latitude</bdi></em>"));
}

// mu = 0.236704 for epsilon = 1, delta = 1e-6: Phi(mu - 1.64485) = 0.07954, Phi(mu / 2) = 0.54711 and Phi(5 mu -
// 1.64485) = 0.32228, solved apart from this code; e / (1 + e) = 0.73106. All are rounded up.
TEST(Report, PrivacyIsToldInNumbersOfThisBudget) {
  const std::string text = section(page(house_prices()), "privacy");
  EXPECT_TRUE(has(text, "may at most bet 2.72 : 1 (a chance of 73.2\u202F% in place of 50\u202F%)"));
  EXPECT_TRUE(has(text, "detects your row in at most 7.96\u202F% of cases"));
  EXPECT_TRUE(has(text, "with a chance of at most 54.8\u202F%"));
  EXPECT_TRUE(has(text, "detected in up to 32.3\u202F% of cases"));
  EXPECT_TRUE(has(text, "plus one in 1,000,000"));
  for (const char* said : {"The number of rows", "Groups", "Several runs add up", "replace one row"})
    EXPECT_TRUE(has(text, said)) << said;
  EXPECT_FALSE(has(text, "weak promise"));
  EXPECT_TRUE(has(section(page(hostile()), "privacy"), "weak promise"));
}

TEST(Report, NoiseFromASeedIsCalledNotPrivate) {
  EXPECT_FALSE(has(page(house_prices()), "not private"));
  Example seeded = house_prices();
  seeded.fit.model.receipt.secure = false;
  EXPECT_TRUE(has(page(seeded), "list of its releases is not complete"));
  seeded.fit.model.receipt.lines[2].release.secure_noise = false;
  EXPECT_TRUE(has(page(seeded), "This model is not private:</strong> its noise was drawn from a seed"));
}

TEST(Report, TheBudgetIsSplitByKindOfRelease) {
  EXPECT_EQ(report::kind_of_release("gradient, step 3"), "gradient");
  EXPECT_EQ(report::kind_of_release("median of 12 columns"), "median");
  EXPECT_EQ(report::kind_of_release("4 disjoint blocks of rows"), "disjoint blocks of rows");
  EXPECT_EQ(report::kind_of_release(""), "release");
  EXPECT_EQ(report::kind_of_release("12, 3"), "release");
  const std::string text = section(page(house_prices()), "budget");
  EXPECT_TRUE(has(text, "gradient: 56\u202F%"));
  EXPECT_TRUE(has(text, "clip threshold: 6\u202F%"));
  EXPECT_EQ(occurrences(text, "<tr><td>"), 31u);
}

TEST(Report, ReleasesOnBlocksAreWithinTheLineThatOpenedThem) {
  Example example = house_prices();
  Receipt& receipt = example.fit.model.receipt;
  receipt.lines = {{{.what = "2 disjoint blocks of rows", .mechanism = "parallel"}, {.mu = 0.3}},
                   {{.what = "gradient", .mechanism = "gaussian"}, {.mu = 0.3}, "1 of 2"},
                   {{.what = "gradient", .mechanism = "gaussian"}, {.mu = 0.3}, "2 of 2"},
                   {{.what = "median", .mechanism = "gaussian"}, {.mu = 0.1}}};
  const std::string text = section(page(example), "budget");
  EXPECT_TRUE(has(text, "disjoint blocks of rows: 90\u202F%"));
  EXPECT_TRUE(has(text, "their prices do not add up"));
  EXPECT_TRUE(has(text, "median: 10\u202F%"));
}

TEST(Report, AConstantModelSaysSoAndDrawsNoEffects) {
  const std::string html = page(constant());
  EXPECT_TRUE(has(html, "gives every row the same answer"));
  EXPECT_FALSE(has(html, "<figure class=\"effects\">"));
}

TEST(Report, MarksThisBudgetOnTheCurve) {
  const std::string text = section(page(house_prices()), "trust");
  EXPECT_TRUE(has(text, "this model, ε = 1"));
  EXPECT_TRUE(has(text, "intervals are 24\u202F% wider"));
  EXPECT_TRUE(has(text, "limited 6.4\u202F%"));
  Example none = house_prices();
  none.fit.error_against_epsilon.clear();
  none.fit.limits = {};
  EXPECT_FALSE(has(section(page(none), "trust"), "What another budget would bring"));
  EXPECT_TRUE(has(page(none), "What limits its accuracy is not known."));
}

TEST(Report, CopesWithAFitThatHoldsNothing) {
  const Fit nothing{.model = {.loss = LogisticLoss{}, .target = "", .features = {}, .parts = {}, .receipt = {}},
                    .work = {},
                    .limits = {},
                    .error_against_epsilon = {}};
  EXPECT_TRUE(well_formed(report_html(nothing, {"", "", "", ""})));
  Fit uneven = house_prices().fit;
  uneven.model.parts[0].coefficients.resize(3);
  EXPECT_TRUE(well_formed(report_html(uneven, {"", "", "", ""})));
}

TEST(Report, EveryLossHasWords) {
  for (const char* name : {"squared", "logistic", "poisson", "huber:1.5", "absolute", "quantile:0.9", "hinge",
                           "smoothed-hinge:0.5", "squared-hinge"}) {
    Fit fit = house_prices().fit;
    const Result<Loss> loss = parse_loss(name);
    ASSERT_TRUE(loss) << name;
    fit.model.loss = *loss;
    EXPECT_TRUE(well_formed(report_html(fit, {"", "", "", ""}))) << name;
  }
}

}  // namespace
}  // namespace tailcoat
