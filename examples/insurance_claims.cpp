// `make demo`: simulated insurance claims, a private fit at epsilon = 1 with nothing known about them, and beside it
// least squares without privacy and the usual DP-SGD, which needs bounds and gets guessed ones. Claims have a Pareto
// tail of exponent 2.2: the variance is finite, but only just. Writes claims.csv and report.html to the folder given.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <random>
#include <vector>

#include "tailcoat/algorithms/noisy_gradients.hpp"
#include "tailcoat/tailcoat.hpp"

namespace {

using namespace tailcoat;

constexpr std::size_t kRows = 50'000, kTestRows = 20'000;
constexpr ApproxDp kBudget{.epsilon = 1, .delta = 1e-6};
constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

struct Claims {
  Table table;
  std::vector<std::array<double, 6>> cells;  // as in the table: age, value, power, region, fuel, amount
  std::vector<double> expected;              // the average claim given the other cells, known as it is simulated
};

std::vector<Column> columns() {
  return {{"driver_age"},
          {"car_value"},
          {"engine_kw"},
          {"region", ColumnKind::text, {"north", "south", "east", "west", "city"}},
          {"fuel", ColumnKind::text, {"petrol", "diesel"}},
          {"amount"}};
}

// One car in twenty has no value on file.
Result<Claims> simulate(std::size_t rows, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform(0, 1);
  std::normal_distribution<double> normal;
  constexpr double kMedianValue = 15'000, kMeanValue = 17'958;  // times e^(0.6^2 / 2)
  constexpr std::array<double, 5> by_region = {0, 50, 100, 200, 600};
  TAILCOAT_TRY(table, Table::create(columns(), Storage::f64));
  Claims claims{std::move(table), {}, {}};
  for (std::size_t i = 0; i < rows; ++i) {
    const double age = std::floor(18 + 60 * uniform(random)),
                 value = std::round(kMedianValue * std::exp(0.6 * normal(random)));
    const double power = std::round(80 * std::exp(0.3 * normal(random)));
    const auto region = static_cast<std::size_t>(5 * std::pow(uniform(random), 1.5));
    const double fuel = uniform(random) < 0.4 ? 1 : 0;
    const double rest = 300 + 6 * power - 4 * (age - 48) + by_region[region] + 80 * fuel;
    const double tail = (1 - 1 / 2.2) * std::pow(1 - uniform(random), -1 / 2.2);  // of mean 1
    const bool missing = uniform(random) < 0.05;
    claims.cells.push_back({age, missing ? kMissing : value, power, static_cast<double>(region), fuel,
                            std::round(100 * (rest + 0.05 * value) * tail) / 100});
    claims.expected.push_back(rest + 0.05 * (missing ? kMeanValue : value));
    TAILCOAT_CHECK(claims.table.append(claims.cells.back()));
  }
  return claims;
}

// For the two other fits: numbers brought to about [-1, 1] by bounds that one could guess, a column per level but the
// first, and a constant. A missing car value is put at the mean, which the user is taken to have guessed right.
constexpr double kTypicalValue = 18'000;
constexpr std::size_t kFeatures = 9;

std::array<double, kFeatures> features(const std::array<double, 6>& cells) {
  const auto scaled = [](double x, double low, double high) {
    return std::clamp(2 * (x - low) / (high - low) - 1, -1.0, 1.0);
  };
  std::array<double, kFeatures> row{};
  row[0] = 1;
  row[1] = scaled(cells[0], 18, 90);
  row[2] = scaled(std::isnan(cells[1]) ? kTypicalValue : cells[1], 0, 100'000);
  row[3] = scaled(cells[2], 0, 300);
  if (cells[3] > 0) row[3 + static_cast<std::size_t>(cells[3])] = 1;
  row[8] = cells[4];
  return row;
}

double predicted(const std::vector<double>& x, const std::array<double, 6>& cells) {
  const auto row = features(cells);
  double sum = 0;
  for (std::size_t j = 0; j < kFeatures; ++j) sum += x[j] * row[j];
  return sum;
}

// Normal equations by elimination; nine columns that do not repeat each other.
std::vector<double> least_squares(const Claims& claims) {
  std::array<std::array<double, kFeatures + 1>, kFeatures> equations{};
  for (const auto& cells : claims.cells) {
    const auto row = features(cells);
    for (std::size_t j = 0; j < kFeatures; ++j) {
      for (std::size_t k = 0; k < kFeatures; ++k) equations[j][k] += row[j] * row[k];
      equations[j][kFeatures] += row[j] * cells[5];
    }
  }
  std::vector<double> x(kFeatures);
  for (std::size_t p = 0; p < kFeatures; ++p) {
    for (std::size_t j = 0; j < kFeatures; ++j) {
      if (j == p) continue;
      const double factor = equations[j][p] / equations[p][p];
      for (std::size_t k = p; k <= kFeatures; ++k) equations[j][k] -= factor * equations[p][k];
    }
  }
  for (std::size_t p = 0; p < kFeatures; ++p) x[p] = equations[p][kFeatures] / equations[p][p];
  return x;
}

// Full-batch DP-SGD as it is usually set up: clip 1, 100 steps, last iterate, amounts scaled to [0, 1] by a guess of
// the largest. The learning rate was the best of 0.1, 0.3 and 0.6 on these very claims, which is a favour: a user would
// have to pay for that search.
Result<std::vector<double>> usual_dp_sgd(const Claims& claims, double largest, RunContext run) {
  constexpr std::size_t kSteps = 100;
  constexpr double kClip = 1, kRate = 0.6;
  std::vector<double> rows, labels;
  for (const auto& cells : claims.cells) {
    const auto row = features(cells);
    rows.insert(rows.end(), row.begin(), row.end());
    labels.push_back(std::clamp(cells[5] / largest, 0.0, 1.0));
  }
  TAILCOAT_TRY(data, run.engine.load(RowsOf<double>{rows.data(), labels.size(), kFeatures, kFeatures}, labels));
  TAILCOAT_TRY(meter, PrivacyMeter::open(kBudget));
  TAILCOAT_TRY(gradients,
               NoisyGradients::open(run.engine, Samples(data, SquaredLoss{}), kClip, kSteps, {meter, run.noise}));
  std::vector<double> x(kFeatures);
  for (std::size_t t = 0; t < kSteps; ++t) {
    TAILCOAT_TRY(gradient, gradients.at(x));
    for (std::size_t j = 0; j < kFeatures; ++j) x[j] -= kRate * gradient[j];
  }
  for (double& part : x) part *= largest;
  return x;
}

template <class Predict>
void print_scores(const char* name, const Claims& test, const Predict& predict) {
  double absolute = 0, distance = 0;
  for (std::size_t i = 0; i < test.cells.size(); ++i) {
    const double prediction = predict(test.cells[i]);
    absolute += std::abs(prediction - test.cells[i][5]);
    distance += std::pow(prediction - test.expected[i], 2);
  }
  const auto n = static_cast<double>(test.cells.size());
  fmt::print("{:<48}{:>16.0f}{:>26.0f}\n", name, absolute / n, std::sqrt(distance / n));
}

Result<void> write(const std::filesystem::path& path, const std::string& text) {
  if (std::ofstream file(path); file << text << std::flush) return {};
  return system_error(fmt::format("cannot write {}", path.string()));
}

std::string csv(const Claims& claims) {
  const auto header = columns();
  std::string text;
  for (std::size_t j = 0; j < header.size(); ++j) text += (j ? "," : "") + header[j].name;
  for (const auto& cells : claims.cells) {
    text += '\n';
    for (std::size_t j = 0; j < header.size(); ++j) {
      if (j) text += ',';
      if (header[j].kind == ColumnKind::text)
        text += header[j].levels[static_cast<std::size_t>(cells[j])];
      else if (!std::isnan(cells[j]))
        text += fmt::format("{}", cells[j]);
    }
  }
  return text + '\n';
}

Result<void> demo(const std::filesystem::path& folder) {
  TAILCOAT_TRY(train, simulate(kRows, 2026));
  TAILCOAT_TRY(test, simulate(kTestRows, 2027));
  TAILCOAT_CHECK(write(folder / "claims.csv", csv(train)));
  Engine engine;
  TAILCOAT_TRY(noise, BitSource::from_kernel());
  TAILCOAT_TRY(well_guessed, usual_dp_sgd(train, 20'000, {engine, noise}));
  TAILCOAT_TRY(badly_guessed, usual_dp_sgd(train, 1'000'000, {engine, noise}));
  const std::vector<double> exact = least_squares(train);
  const FitOptions options{.target = "amount", .budget = kBudget, .levels = {{"region", {}}, {"fuel", {}}}};
  TAILCOAT_TRY(fitted, fit(std::move(train.table), options, {engine, noise}));
  const auto header = columns();
  TAILCOAT_TRY(predictor, Predictor::create(fitted.model, header));

  fmt::print("{} simulated claims with a Pareto tail of exponent 2.2; {} others to test on\n\n", kRows, kTestRows);
  fmt::print("{:<48}{:>16}{:>26}\n", "", "mean abs. error", "distance from true means");
  print_scores("least squares, no privacy", test, [&](const auto& cells) { return predicted(exact, cells); });
  print_scores("tailcoat fit, epsilon 1, nothing known", test,
               [&](auto& cells) { return predictor.predict(cells).value; });
  print_scores("DP-SGD, epsilon 1, claims guessed below 20,000", test,
               [&](const auto& cells) { return predicted(well_guessed, cells); });
  print_scores("DP-SGD, epsilon 1, guessed below 1,000,000", test,
               [&](const auto& cells) { return predicted(badly_guessed, cells); });
  fmt::print(
      "\nDistance: root mean square, from the average claim of such a row, which the simulation knows. The private\n"
      "fit cuts off large residuals: nearer to a typical claim than least squares, below the average one.\n"
      "DP-SGD: clip 1, 100 full-batch steps, rate 0.6 (best of three), columns scaled by guessed bounds.\n");

  const std::string command =
      "tailcoat fit claims.csv --target amount --categorical region,fuel --epsilon 1 --delta 1e-6";
  TAILCOAT_CHECK(write(folder / "report.html",
                       report_html(fitted, {.data_name = "claims.csv", .command = command, .version = "0.1.0"})));
  fmt::print("\nThe report: {}\nThe data:   {}\nThe fit:    {}\n", (folder / "report.html").string(),
             (folder / "claims.csv").string(), command);
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  const std::filesystem::path folder = argc > 1 ? argv[1] : ".";
  std::error_code ignored;
  std::filesystem::create_directories(folder, ignored);
  const auto done = demo(folder);
  if (!done) fmt::print(stderr, "{}\n", done.error().message);
  return done ? 0 : 1;
}
