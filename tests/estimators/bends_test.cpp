#include "tailcoat/estimators/bends.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "fitting.hpp"
#include "tailcoat/mechanisms/clipped_gradient.hpp"

namespace tailcoat {
namespace {

// Of N(0, 1), in fine bins.
ColumnSketch normal_sketch() {
  ColumnSketch sketch;
  for (int k = -128; k < 128; ++k)
    sketch.bins.push_back({k / 32.0, (k + 1) / 32.0, 1e6 * std::exp(-std::pow((k + 0.5) / 32, 2) / 2)});
  sketch.noise = 1;
  return sketch;
}

Candidate candidate(const std::string& column, std::size_t feature) {
  const ColumnSketch sketch = normal_sketch();
  const auto halves = halves_of(number_features(column, sketch, sketch.rows())[0], sketch);
  if (!halves) stop_at(usage_error("a normal column has no halves"));
  return {feature, *halves};
}

// Columns x0, x1, ... ~ N(0, 1) and y, a function of them.
Table normal_table(std::size_t columns, std::size_t rows, std::uint64_t seed,
                   const std::function<double(const std::vector<double>&, Random&)>& y) {
  std::vector<Column> names;
  for (std::size_t j = 0; j < columns; ++j) names.push_back({.name = std::string("x").append(std::to_string(j))});
  names.push_back({.name = "y"});
  return simulated(names, rows, seed, [&](Random& random) {
    std::vector<double> row;
    for (std::size_t j = 0; j < columns; ++j) row.push_back(normal(random));
    row.push_back(y(row, random));
    return row;
  });
}

std::vector<Candidate> candidates_of(std::size_t columns) {
  std::vector<Candidate> all;
  for (std::size_t j = 0; j < columns; ++j) all.push_back(candidate(std::string("x").append(std::to_string(j)), j));
  return all;
}

struct Look {
  std::vector<std::size_t> bends;
  Receipt receipt;
};

// Of targets whose residuals are about 1.
Look look(const Table& table, std::size_t columns, Gdp cost, std::uint64_t seed = 1, double margin = 0) {
  Engine engine(1);
  BitSource noise = BitSource::insecure_seeded(seed);
  PrivacyMeter meter = *PrivacyMeter::open(cost);
  const FitOptions options{.target = "y", .budget = {1, 1e-6}};
  const Frame frame = frame_of(table);
  auto rows = rows_of_halves(frame, options, candidates_of(columns), 1.5);
  if (!rows) stop_at(rows.error());
  rows->set_labels({});
  const Start start{.margin = margin, .curvature = 1, .labelled = static_cast<double>(table.rows())};
  const auto bends =
      found_bends(*rows, candidates_of(columns), options.loss, start, cost, {engine, noise}, {meter, noise});
  if (!bends) stop_at(bends.error());
  return {*bends, meter.receipt()};
}

using Places = std::vector<std::size_t>;

std::vector<std::string> names_of(const std::vector<Feature>& features, const Places& places) {
  std::vector<std::string> names;
  for (const std::size_t j : places) names.push_back(feature_name(features[j]));
  return names;
}

TEST(Bend, PutsTwoFeaturesInThePlaceOfOne) {
  const auto level = [](const char* text) {
    return Feature{.column = "city", .kind = FeatureKind::level, .level = text};
  };
  const auto of = [](const char* column, FeatureKind kind) { return Feature{.column = column, .kind = kind}; };
  std::vector<Feature> features{level("Graz"),
                                level("Linz"),
                                of("a", FeatureKind::number),
                                of("a", FeatureKind::nonzero),
                                of("a", FeatureKind::missing),
                                of("b", FeatureKind::number),
                                level("Wien"),
                                of("c", FeatureKind::number)};
  Places fitted{1, 2, 3, 4, 5, 7};  // without the reference levels
  const Candidate a = candidate("a", 2), b = candidate("b", 5), c = candidate("c", 7);
  const std::string below = feature_name(a.halves.below).substr(1), above = feature_name(a.halves.above).substr(1);
  // The last first, so that the places of the others stay.
  for (const Candidate& one : {c, b, a}) bend(features, fitted, one);
  EXPECT_EQ(names_of(features, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10}),
            (std::vector<std::string>{"city=Graz", "city=Linz", "a" + below, "a" + above, "a is not 0", "a is missing",
                                      "b" + below, "b" + above, "city=Wien", "c" + below, "c" + above}));
  EXPECT_EQ(features.size(), 11u);
  EXPECT_EQ(fitted, (Places{1, 2, 3, 4, 5, 6, 7, 9, 10})) << "all but the reference levels";
}

// The mean of -y times the kink, at 0 and without clips: what the rows are is seen by a gradient without noise.
TEST(RowsOfHalves, AreOneKinkForEachCandidateAndTheConstant) {
  const Table table = normal_table(
      3, 500, 4, [](const std::vector<double>& x, Random&) { return 1 + x[0] + std::abs(x[1]) - 2 * std::abs(x[2]); });
  const Frame frame = frame_of(table);
  const std::vector<Candidate> candidates = candidates_of(3);
  auto rows = rows_of_halves(frame, {.target = "y", .budget = {1, 1e-6}}, candidates, 1000);
  ASSERT_TRUE(rows.ok()) << rows.error().message;
  ASSERT_GE(rows->columns(), 4u);
  rows->set_labels({});
  Engine engine(1);
  const auto data = engine.load(*rows);
  ASSERT_TRUE(data.ok()) << data.error().message;
  BitSource noise = BitSource::insecure_seeded(1);
  const Gdp cost{1e5};
  PrivacyMeter meter = *PrivacyMeter::open(cost);
  const auto gradient = clipped_gradient(engine, {*data, SquaredLoss{}}, std::vector<double>(rows->columns()), 100,
                                         "test", cost, {meter, noise});
  ASSERT_TRUE(gradient.ok()) << gradient.error().message;
  std::vector<double> expected(rows->columns());
  for (std::size_t i = 0; i < 500; ++i) {
    const auto cells = std::get<RowsOf<double>>(frame.cells).row(i);
    for (std::size_t k = 0; k < 3; ++k) {
      const auto& [below, above, mix_below, mix_above, unit, points] = candidates[k].halves;
      const double kink = mix_below * (below.of_number(cells[k]) - below.centre) / below.scale +
                          mix_above * (above.of_number(cells[k]) - above.centre) / above.scale;
      expected[k] -= cells[3] * kink / 500;
    }
    expected.back() -= cells[3] / 500;
  }
  for (std::size_t j = 0; j < expected.size(); ++j) EXPECT_NEAR(gradient->mean[j], expected[j], 1e-3) << j;
}

TEST(FoundBends, AreThoseOfTheTargetTheClearestFirst) {
  const Table table = normal_table(4, 20000, 1, [](const std::vector<double>& x, Random& random) {
    const double bent = 0.3 * std::abs(x[0]) + x[1] - std::abs(x[3]);
    return bent + 0.56 + 0.5 * normal(random);  // about 0 in the middle
  });
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Look seen = look(table, 4, Gdp{0.05}, seed);
    EXPECT_EQ(seen.bends, (Places{3, 0})) << seed;
  }
}

// Far from it residuals are all alike.
TEST(FoundBends, AreLookedForAtTheStart) {
  const Table table = normal_table(
      2, 20000, 7, [](const std::vector<double>& x, Random& random) { return 10 + std::abs(x[1]) + normal(random); });
  EXPECT_EQ(look(table, 2, Gdp{0.05}, 1, 10.8).bends, Places{1});
}

TEST(FoundBends, AreChargedOnceAndAtTheirPrice) {
  const Table table = normal_table(2, 2000, 2, [](const std::vector<double>& x, Random&) { return x[0]; });
  const Receipt receipt = look(table, 2, Gdp{0.2}).receipt;
  ASSERT_EQ(receipt.lines.size(), 1u);
  EXPECT_EQ(receipt.lines[0].release.what, "where numbers bend");
  EXPECT_LE(receipt.lines[0].price.mu, 0.2);
  EXPECT_NEAR(receipt.lines[0].price.mu, 0.2, 1e-6);
}

TEST(FoundBends, OfLinesAreNone) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const Table table = normal_table(2, 10000, seed, [](const std::vector<double>& x, Random& random) {
      return 0.8 * x[0] - 0.3 * x[1] + 0.5 * normal(random);
    });
    EXPECT_EQ(look(table, 2, Gdp{0.05}, seed).bends, Places()) << seed;
  }
}

// 10,000 kinks in columns that the target does not know, at a budget where the noise is the threshold: it has to be
// passed by 4 deviations, of noise and little else. (3 would be 27 of them, or more.)
TEST(FoundBends, AreRarelyMadeByNoise) {
  constexpr std::size_t kColumns = 10;
  const Table table =
      normal_table(kColumns, 5000, 3, [](const std::vector<double>&, Random& random) { return normal(random); });
  std::size_t found = 0;
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) found += look(table, kColumns, Gdp{0.02}, seed).bends.size();
  EXPECT_LE(found, 8u);
}

// What the noise does not hide has to be worth a second slope: here it is all but 0.
TEST(FoundBends, AreWorthASecondSlope) {
  const auto at = [](double share) {
    const Table table = normal_table(1, 20000, 6, [share](const std::vector<double>& x, Random& random) {
      return share * (std::abs(x[0]) - 0.8) + 0.5 * normal(random);
    });
    return look(table, 1, Gdp{100}).bends;
  };
  EXPECT_EQ(at(0.02), Places());
  EXPECT_EQ(at(0.1), Places{0});
}

}  // namespace
}  // namespace tailcoat
