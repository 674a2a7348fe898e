#include "examples.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <random>

#include "tailcoat/privacy/conversions.hpp"

namespace tailcoat::report_examples {
namespace {

Estimate estimate(double value, double error) { return {value, error, value - 1.96 * error, value + 1.96 * error}; }

ReceiptLine gaussian(std::string what, std::size_t values, double mu) {
  return {{.what = std::move(what), .mechanism = "gaussian", .values = values, .sensitivity = 1, .noise_scale = 1 / mu},
          {.mu = mu}};
}

Receipt receipt(double epsilon, std::size_t features, std::size_t steps) {
  const ApproxDp budget{epsilon, 1e-6};
  const double mu = to_gdp(budget)->mu;
  Receipt all{.budget = budget, .gaussian_budget = {mu}, .gaussian_spent = {mu}, .lines = {}};
  const auto add = [&](std::string what, std::size_t values, double share) {
    all.lines.push_back(gaussian(std::move(what), values, mu * std::sqrt(share)));
  };
  add(fmt::format("median of {} columns", features), features, 0.08);
  add(fmt::format("spread of {} columns", features), features, 0.08);
  add("second moments", features * (features + 1) / 2, 0.15);
  add("clip threshold, round 1", 1, 0.03);
  add("clip threshold, round 2", 1, 0.03);
  for (std::size_t i = 0; i < steps; ++i)
    add(fmt::format("gradient, step {}", i + 1), features + 1, 0.56 / static_cast<double>(steps));
  add("residual variance", 1, 0.05);
  add("comparison with the constant", 1, 0.02);
  return all;
}

std::vector<std::pair<double, double>> curve(const Limits& limits, double epsilon) {
  std::vector<std::pair<double, double>> points;
  for (const double other : {0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0})
    points.emplace_back(other, std::hypot(limits.sampling, limits.privacy_noise * epsilon / other) /
                                   std::hypot(limits.sampling, limits.privacy_noise));
  return points;
}

Fit with(Model model, const Limits& limits) {
  Fit fit{.model = std::move(model),
          .work = {.sample_gradients = 2.4e6, .passes = 64},
          .limits = limits,
          .error_against_epsilon = {}};
  fit.error_against_epsilon = curve(limits, fit.model.receipt.budget.epsilon);
  return fit;
}

Feature number(std::string column, double centre, double scale) {
  return {.column = std::move(column),
          .centre = centre,
          .scale = scale,
          .low = centre - 3 * scale,
          .high = centre + 4 * scale};
}

Feature level(std::string column, std::string text, double share) {
  return {.column = std::move(column),
          .kind = FeatureKind::level,
          .level = std::move(text),
          .centre = share,
          .scale = std::sqrt(share * (1 - share)),
          .low = 0,
          .high = 1};
}

ReportInput input(const std::string& file, const std::string& options) {
  return {.data_name = file,
          .command = fmt::format("tailcoat fit {} {}", file, options),
          .version = "0.1.0",
          .date = "16 November 2026"};
}

}  // namespace

Example house_prices() {
  Model model{.loss = SquaredLoss{},
              .target = "median_house_value",
              .features = {},
              .parts = {{estimate(-2.1e6, 6.2e4), {}}},
              .rows = 20640,
              .receipt = receipt(1, 14, 24)};
  const auto add = [&](Feature feature, double effect, double error) {
    model.parts[0].coefficients.push_back(estimate(effect / feature.scale, error / feature.scale));
    model.features.push_back(std::move(feature));
  };
  add(number("longitude", -118.5, 2.0), -53800, 4100);
  add(number("latitude", 34.3, 2.1), -54900, 4200);
  add(number("housing_median_age", 29, 12.6), 13700, 900);
  add(number("total_rooms", 2127, 1300), -10800, 3900);
  add(number("total_bedrooms", 435, 290), 34100, 5100);
  add(number("population", 1166, 760), -39900, 2400);
  add(number("households", 409, 270), 21800, 5000);
  add(number("median_income", 3.53, 1.7), 70100, 1100);
  add(level("ocean_proximity", "<1H OCEAN", 0.44), 1800, 2100);
  add(level("ocean_proximity", "INLAND", 0.32), -18900, 2200);
  add(level("ocean_proximity", "NEAR OCEAN", 0.13), 3100, 1900);
  add(level("ocean_proximity", "NEAR BAY", 0.11), -700, 2000);
  add(level("ocean_proximity", "ISLAND", 0.0003), 900, 1700);
  add({.column = "total_bedrooms", .kind = FeatureKind::missing, .scale = 0.1}, 200, 800);
  model.notes = {
      "The levels of ocean_proximity were found privately; levels with fewer than about 60 rows count as unknown.",
      "No column was constant."};
  return {"house_prices", with(std::move(model), {.sampling = 0.0071, .privacy_noise = 0.0052, .clipped_share = 0.064}),
          input("california_housing.csv.gz",
                "--target median_house_value --categorical ocean_proximity --epsilon 1 --delta 1e-6 --report "
                "report.html")};
}

Example three_classes() {
  Model model{.loss = LogisticLoss{},
              .target = "species",
              .classes = {"Adélie", "Chinstrap", "Gentoo"},
              .features = {},
              .parts = {},
              .rows = 8240,
              .receipt = receipt(2, 7, 18)};
  model.features = {
      number("bill_length_mm", 43.9, 5.5), number("bill_depth_mm", 17.2, 2.0), number("flipper_length_mm", 200.9, 14.1),
      number("body_mass_g", 4202, 802),    level("sex", "female", 0.5),        level("island", "Biscoe", 0.49),
      level("island", "Dream", 0.36)};
  const std::vector<std::vector<double>> effects{{-1.9, 0.8, -0.6, -0.2, 0.1, -0.3, 0.05},
                                                 {1.2, 0.4, -0.5, -0.9, 0.3, -0.7, 0.9},
                                                 {0.4, -1.3, 1.1, 0.9, -0.02, 0.6, -0.8}};
  for (const std::vector<double>& part : effects) {
    LinearPart linear{estimate(-1.2, 0.3), {}};
    for (std::size_t j = 0; j < part.size(); ++j)
      linear.coefficients.push_back(estimate(part[j] / model.features[j].scale, 0.16 / model.features[j].scale));
    model.parts.push_back(std::move(linear));
  }
  return {"three_classes", with(std::move(model), {.sampling = 0.04, .privacy_noise = 0.09, .clipped_share = 0.31}),
          input("penguins.csv", "--target species --loss logistic --epsilon 2")};
}

Example many_features() {
  Model model{.loss = PoissonLoss{},
              .target = "claims",
              .exposure = "years",
              .features = {},
              .parts = {{estimate(-2.3, 0.02), {}}},
              .rows = 678013,
              .receipt = receipt(0.5, 200, 40)};
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal;
  for (int j = 0; j < 200; ++j) {
    const double scale = std::exp(normal(random)), size = 0.3 * std::exp(-j / 12.0) * normal(random);
    model.features.push_back(number(fmt::format("feature_{:03}", j), normal(random), scale));
    model.parts[0].coefficients.push_back(estimate((size + 0.015 * normal(random)) / scale, 0.015 / scale));
  }
  return {"many_features", with(std::move(model), {.sampling = 0.002, .privacy_noise = 0.015, .clipped_share = 0.004}),
          input("freq.csv.gz", "--target claims --loss poisson --exposure years --epsilon 0.5")};
}

Example constant() {
  Model model{.loss = LogisticLoss{},
              .target = "default",
              .classes = {"no", "yes"},
              .features = {},
              .parts = {{estimate(-1.4, 0.11), {}}},
              .rows = 900,
              .receipt = receipt(0.1, 9, 6)};
  for (int j = 0; j < 9; ++j) {
    model.features.push_back(number(fmt::format("x{}", j + 1), 0, 1));
    model.parts[0].coefficients.push_back(left_out());
  }
  model.notes = {"A private comparison found the model no better than a constant, by more than noise."};
  Fit fit = with(std::move(model), {.sampling = 0.03, .privacy_noise = 0.6, .clipped_share = 0});
  fit.constant = true;
  return {"constant", std::move(fit), input("loans.csv", "--target default --loss logistic --epsilon 0.1")};
}

Example claims() {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  Model model{.loss = SquaredLoss{},
              .target = "amount",
              .features = {},
              .parts = {{estimate(1520, 21), {}}},
              .rows = 50000,
              .receipt = receipt(1, 9, 16)};
  const auto add = [&](Feature feature, const Estimate& effect) {
    const double scale = feature.scale;
    model.parts[0].coefficients.push_back(
        {effect.value / scale, effect.standard_error / scale, effect.low / scale, effect.high / scale});
    model.features.push_back(std::move(feature));
  };
  add(number("car_value", 21000, 10200), estimate(437, 6));
  Feature tail = number("car_value", 0, 9000);
  tail.kind = FeatureKind::beyond;
  tail.low = tail.knot_low = -9000;
  tail.knot_high = 52000;
  tail.high = 90000;
  add(tail, left_out());
  add(number("driver_age", 44, 14), estimate(-56, 6));
  add(level("region", "north", 0.4), {});
  add(level("region", "city", 0.2), estimate(203, 8));
  add(level("region", "west", 0.2), estimate(57, 8));
  add(level("region", "south", 0.2), estimate(8.5, 8));
  add(level("fuel", "petrol", 0.7), {});
  add(level("fuel", "diesel", 0.3), estimate(39, 6));
  Fit fit = with(std::move(model), {.sampling = 0.004, .privacy_noise = 0.004, .clipped_share = 0.05});
  Diagnosis seen{.residuals = {{-kInf, -2000, 390}}, .calibration = {}, .noise = 130};
  const double noise[] = {-130, 40,   -160, 90,  -30, 120, -60, 200,  -90, 10,
                          60,   -240, 20,   130, -70, -20, 80,  -110, 50,  0};
  for (int i = 0; i < 20; ++i) {
    const double low = -2000 + 200 * i, z = (low + 200) / 520;
    seen.residuals.push_back({low, low + 200, 7600 * std::exp(-z * z / 2) + 100 * (i > 10 ? 1 : 0) + noise[i]});
  }
  seen.residuals.push_back({2000, kInf, 1105});
  fit.diagnosis = std::move(seen);
  return {"claims", std::move(fit), input("claims.csv", "--target amount --epsilon 1 --diagnose --report report.html")};
}

Example loans() {
  Model model{.loss = LogisticLoss{},
              .target = "default",
              .classes = {"no", "yes"},
              .features = {number("income", 38000, 14000), number("debt", 9000, 7000), level("home", "rent", 0.5),
                           level("home", "owner", 0.4), level("home", "other", 0.1)},
              .parts = {{estimate(-1.1, 0.05), {}}},
              .rows = 24000,
              .receipt = receipt(1, 5, 16)};
  model.parts[0].coefficients = {
      estimate(-4e-5, 2e-6), estimate(7e-5, 4e-6), {}, estimate(-0.5, 0.06), estimate(0.05, 0.09)};
  Fit fit = with(std::move(model), {.sampling = 0.01, .privacy_noise = 0.006, .clipped_share = 0.01});
  fit.diagnosis = Diagnosis{.residuals = {},
                            .calibration = {{0.03, 5200, 0.035, 0.008},
                                            {0.15, 6900, 0.144, 0.007},
                                            {0.25, 4800, 0.258, 0.009},
                                            {0.35, 3100, 0.341, 0.013},
                                            {0.45, 1900, 0.462, 0.019},
                                            {0.55, 1100, 0.528, 0.029},
                                            {0.65, 560, 0.69, 0.055},
                                            {0.75, 240, 0.71, 0.12},
                                            {0.85, 90, 1.3, 0.4},
                                            {0.95, -12, -2, 3}},
                            .noise = 45};
  return {"loans", std::move(fit), input("loans.csv", "--target default --loss logistic --epsilon 1 --diagnose")};
}

Example by_theorem() {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  const auto point = [](double value) { return Estimate{value, kInf, -kInf, kInf}; };
  Model model{.loss = LogisticLoss{},
              .target = "label",
              .classes = {"no", "yes"},
              .features = {number("age", 40, 12), number("dose", 2.5, 1), level("city", "Graz", 0.5),
                           level("city", "Linz", 0.3), level("city", "Wien", 0.2)},
              .parts = {{point(-0.4), {point(0.03), point(-0.6), {}, point(0.2), point(-0.05)}}},
              .rows = 100000,
              .receipt = receipt(1, 5, 4)};
  model.notes = {"algorithm implicit-glm: the intervals are infinite, its theorem bounds the risk"};
  Fit fit{.model = std::move(model),
          .work = {.sample_gradients = 1e5, .passes = 1, .wanted_passes = 1},
          .limits = {},
          .error_against_epsilon = {},
          .certified = Bound{.excess_risk = 0.1234}};
  return {"by_theorem", std::move(fit),
          input("rows.csv",
                "--target label --epsilon 1 --algorithm implicit-glm --moments 4,8,12 --diameter 20 --report r.html")};
}

Example hostile() {
  constexpr double kInf = std::numeric_limits<double>::infinity(), kNan = std::numeric_limits<double>::quiet_NaN();
  const std::string script = "</title></script><script>window.owned=1</script><img src=x onerror=\"window.owned=2\">";
  Model model{.loss = HingeLoss{},
              .target = script,
              .classes = {"'\"", script},
              .features = {},
              .parts = {{{}, {}}},
              .confidence = 0.9,
              .rows = 1,
              .receipt = receipt(12, 5, 3)};
  for (const std::string& name :
       {script, std::string(10000, 'W'), std::string("مساحة البيت"), std::string("👩‍👩‍👧‍👦 family"),
        std::string("\u202Eevil\u202D {0} {} %s"), std::string("\xff\xfe bad \xc0\x80 bytes"),
        std::string("line\nbreak\x01\x7f"), std::string(), std::string("constant"), std::string("endless"),
        std::string("far")})
    model.features.push_back({.column = name});
  model.features[1].kind = FeatureKind::level;
  model.features[1].level = script;
  model.parts[0].coefficients = {estimate(1, 0.1),
                                 estimate(-2, 0.1),
                                 estimate(0.5, 30),
                                 estimate(-0.4, 0.1),
                                 {kNan, kNan, kNan, kNan},
                                 {kInf, kInf, -kInf, kInf},
                                 estimate(0.1, 1),
                                 estimate(0, 0),
                                 {5e-324, 0, 0, 0},
                                 {0.2, kInf, -kInf, kInf},
                                 {1e308, 1e308, -1e308, kInf}};
  model.notes = {script, std::string(20000, 'n')};
  model.receipt.secure = false;
  model.receipt.lines[0].release.what = script + " 1";
  model.receipt.lines[0].release.secure_noise = false;
  model.receipt.lines.push_back({{.what = "4 disjoint blocks of rows", .mechanism = "parallel"}, {.mu = 0.2}});
  model.receipt.lines.push_back({{.what = "gradient", .mechanism = "gaussian"}, {.mu = 0.2}, "2 of 4"});
  Fit fit = with(std::move(model), {.sampling = 1, .privacy_noise = 4, .clipped_share = 0.9});
  fit.error_against_epsilon.insert(fit.error_against_epsilon.end(), {{0, 1}, {kNan, 2}, {3, kInf}, {7, 0}});
  fit.diagnosis = Diagnosis{.residuals = {{-kInf, kInf, 5},
                                          {-kInf, -1, kNan},
                                          {kNan, 0, 3},
                                          {-1, 0, 40},
                                          {0, 3, -20},
                                          {3, 3, 9},
                                          {3, 1e308, 9},
                                          {3, 4, kInf},
                                          {3, 5, 90},
                                          {5, kInf, 4}},
                            .calibration = {{kNan, 5, 0.5, 0.1},
                                            {0.5, kInf, 0.5, 0.1},
                                            {0.2, 50, 7, 0.1},
                                            {0.7, 50, -3, 1e9},
                                            {0.9, 50, 0.5, 0}},
                            .noise = 4};
  return {"hostile", std::move(fit), {script, script, script, script}};
}

std::vector<Example> all() {
  return {house_prices(), three_classes(), many_features(), constant(), claims(), loans(), by_theorem(), hostile()};
}

}  // namespace tailcoat::report_examples
