// Fits on memory that somebody else owns: the same model as that of a table, without a copy, whatever is in it.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fitting.hpp"

namespace tailcoat {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;  // shadow memory is not ours
#else
constexpr bool kSanitized = false;
#endif

Result<Fit> fitted_frame(const Frame& frame, const FitOptions& options, std::size_t threads, std::uint64_t seed = 5) {
  Engine engine(threads);
  BitSource noise = BitSource::insecure_seeded(seed);
  return fit(frame, options, {engine, noise});
}

const std::vector<Column> kColumns = {{.name = "a"},
                                      {.name = "city", .kind = ColumnKind::text, .levels = {"Graz", "Linz", "Wien"}},
                                      {.name = "b"},
                                      {.name = "years"}};

// Numbers that are floats, heavy tails, missing cells; a target of numbers or of three texts, the last column.
std::vector<double> simulated_cells(std::size_t rows, bool classes) {
  Random random(7);
  std::vector<double> cells;
  for (std::size_t i = 0; i < rows; ++i) {
    const double a = normal(random), b = std::exp(1.5 * normal(random)), city = static_cast<double>(random() % 3);
    const double y = 2 * a + city + std::exp(normal(random));
    for (const double cell : {a, random() % 10 == 0 ? kMissing : city, random() % 9 == 0 ? kMissing : b,
                              0.5 + uniform(random), classes ? (y > 2 ? 2 : (y > 0 ? 1 : 0)) : std::floor(y * y)})
      cells.push_back(static_cast<double>(static_cast<float>(cell)));
  }
  return cells;
}

struct Kind {
  const char* loss;
  bool classes, exposure;
};

TEST(FrameFit, GivesTheBitsOfTheTableOnAnyNumberOfThreads) {
  for (const Kind& kind : {Kind{"squared", false, false}, Kind{"huber", false, false}, Kind{"logistic", true, false},
                           Kind{"poisson", false, true}}) {
    SCOPED_TRACE(kind.loss);
    const std::size_t rows = 6000, d = kColumns.size();
    const std::vector<double> together = simulated_cells(rows, kind.classes);
    std::vector<Column> columns = kColumns;
    columns.push_back({.name = "y"});
    if (kind.classes) columns.back() = {.name = "y", .kind = ColumnKind::text, .levels = {"p", "q", "r"}};
    FitOptions options{.target = "y", .loss = *parse_loss(kind.loss), .budget = {20, 1e-6}, .levels = {}};
    options.levels["city"] = {"Linz", "Wien", "Rom"};
    if (kind.classes) options.levels["y"] = {"q", "r", "p"};
    if (kind.exposure) options.exposure = "years";
    options.missing_indicators = {"b"};

    const auto expected = fitted(table_of(columns, together), options, 5);
    ASSERT_TRUE(expected.ok()) << expected.error().message;
    EXPECT_FALSE(expected->constant);
    const std::string model = to_json(expected->model);

    std::vector<double> apart, cells;
    for (std::size_t i = 0; i < rows; ++i) {
      const double* row = together.data() + i * (d + 1);
      cells.insert(cells.end(), row, row + d);
      cells.insert(cells.end(), 2, 1e300);  // of no column
      apart.push_back(row[d]);
    }
    const std::vector<float> floats(cells.begin(), cells.end());
    const std::vector<double> cells_before = cells;
    for (const std::size_t threads : {1, 2, 3}) {
      for (const Frame& frame : {Frame{columns, RowsOf<double>{together.data(), rows, d + 1, d + 1}},
                                 Frame{columns, RowsOf<double>{cells.data(), rows, d, d + 2}, apart},
                                 Frame{columns, RowsOf<float>{floats.data(), rows, d, d + 2}, apart}}) {
        const auto found = fitted_frame(frame, options, threads);
        ASSERT_TRUE(found.ok()) << found.error().message;
        EXPECT_EQ(to_json(found->model), model) << threads;
      }
    }
    EXPECT_TRUE(
        std::ranges::equal(cells, cells_before, [](double x, double y) { return x == y || (x != x && y != y); }));
  }
}

// A tail that noise has made is forgotten after the second moments: the rows are made anew, in both ways alike.
TEST(FrameFit, GivesTheBitsOfTheTableWhereATailWasForgotten) {
  const std::vector<Column> columns{{.name = "a"}, {.name = "b"}, {.name = "c"}, {.name = "y"}};
  const std::size_t rows = 5000;
  std::size_t forgotten = 0;
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    std::vector<double> cells;
    Random random(seed);
    for (std::size_t i = 0; i < rows; ++i) {
      const double a = 10 + 2 * normal(random), b = normal(random), c = std::exp(normal(random));
      cells.insert(cells.end(), {a, b, c, a - b + c + normal(random)});
    }
    FitOptions options{.target = "y", .budget = {3, 1e-6}, .straight = true};
    options.missing_indicators = {"a", "c"};
    const auto found = fitted_frame(Frame{columns, RowsOf<double>{cells.data(), rows, 4, 4}}, options, 2, seed);
    ASSERT_TRUE(found.ok()) << found.error().message;
    std::size_t moments = 0, gradient = 0;
    for (const ReceiptLine& line : found->model.receipt.lines) {
      if (line.release.what == "second-moment matrix") moments = line.release.values;
      if (line.release.what.starts_with("gradient, step")) gradient = line.release.values;
    }
    ASSERT_EQ(gradient, found->model.features.size() + 1);
    forgotten += moments > gradient * (gradient + 1) / 2;
    const auto expected = fitted(table_of(columns, cells), options, seed);
    ASSERT_TRUE(expected.ok()) << expected.error().message;
    EXPECT_EQ(to_json(found->model), to_json(expected->model)) << seed;
    for (std::size_t j = 0; j < found->model.features.size(); ++j) {
      const Feature& feature = found->model.features[j];
      const bool tail = feature.kind == FeatureKind::beyond;
      EXPECT_EQ(feature.column, tail ? found->model.features[j - 1].column : feature.column);
    }
  }
  EXPECT_GT(forgotten, 2u);
}

TEST(FrameFit, StaysFiniteWhateverTheMemoryHolds) {
  Random random(8);
  const double bad[] = {kMissing, HUGE_VAL, -HUGE_VAL, 1e308, -1e308, 5e-324, -0.0, 1e200};
  const std::size_t rows = 4000, d = kColumns.size();
  std::vector<double> cells(rows * d), y(rows);
  for (const std::size_t one_in : {2u, 20u}) {
    for (double& cell : cells) cell = random() % one_in == 0 ? bad[random() % std::size(bad)] : normal(random);
    for (double& cell : y) cell = random() % one_in == 0 ? bad[random() % std::size(bad)] : normal(random);
    std::vector<Column> columns = kColumns;
    columns.push_back({.name = "y"});
    for (const char* loss : {"squared", "absolute", "logistic", "poisson"}) {
      FitOptions options{.target = "y", .loss = *parse_loss(loss), .budget = {5, 1e-6}, .levels = {}};
      const bool classes = predicts_classes(options.loss);
      if (std::holds_alternative<PoissonLoss>(options.loss))
        std::ranges::transform(y, y.begin(), [](double cell) { return std::abs(cell); });
      columns.back() = {.name = "y"};
      if (classes) columns.back() = {.name = "y", .kind = ColumnKind::text, .levels = {"no", "yes"}};
      if (classes) options.levels["y"] = {"no", "yes"};
      const auto found = fitted_frame({columns, RowsOf<double>{cells.data(), rows, d, d}, y}, options, 2);
      ASSERT_TRUE(found.ok()) << loss << ' ' << found.error().message;
      EXPECT_TRUE(std::isfinite(found->model.parts[0].intercept.value)) << loss;
    }
  }
}

TEST(FrameFit, RefusesFramesThatAreNone) {
  const std::vector<double> cells(40, 1.5), y(10, 2);
  const Rows rows = RowsOf<double>{cells.data(), 10, 4, 4};
  const std::vector<Column> five = {{.name = "a"}, {.name = "b"}, {.name = "c"}, {.name = "d"}, {.name = "y"}};
  const FitOptions options{.target = "y", .budget = {1, 1e-6}};
  const auto message = [&](const Frame& frame, const FitOptions& with) {
    const auto found = fitted_frame(frame, with, 1);
    return found.ok() ? std::string() : found.error().message;
  };
  EXPECT_EQ(message({five, rows, y}, options), "");
  EXPECT_NE(message({five, rows}, options).find("5 columns are named, but 4"), std::string::npos);
  EXPECT_NE(message({five, rows, std::span(y).first(9)}, options).find("9 numbers for 10 rows"), std::string::npos);
  FitOptions other = options;
  other.target = "a";
  EXPECT_NE(message({five, rows, y}, other).find("kept apart"), std::string::npos);
  std::vector<Column> twice = five;
  twice[1].name = "a";
  EXPECT_NE(message({twice, rows, y}, options), "");
}

// Peak memory above what was there before, in bytes for a row, measured in a process of its own.
TEST(FrameFit, TakesLessThan16BytesForARow) {
  if (kSanitized) GTEST_SKIP();
  const std::size_t rows = 1'000'000, d = 20;
  const pid_t child = fork();
  if (child == 0) {
    Random random(9);
    std::vector<double> cells(rows * d), y(rows);
    for (double& cell : cells) cell = static_cast<double>(random()) * 0x1p-64;
    for (std::size_t i = 0; i < rows; ++i) y[i] = cells[i * d] - cells[i * d + 3] + uniform(random);
    std::vector<Column> columns;
    for (std::size_t j = 0; j < d; ++j) columns.push_back({.name = std::string("x").append(std::to_string(j))});
    columns.push_back({.name = "y"});
    const auto peak = [] {
      rusage usage{};
      getrusage(RUSAGE_SELF, &usage);
      return static_cast<double>(usage.ru_maxrss) * 1024;
    };
    const FitOptions options{.target = "y", .budget = {1, 1e-6}};
    const auto fit_of = [&](std::size_t some) {
      return fitted_frame({columns, RowsOf<double>{cells.data(), some, d, d}, std::span(y).first(some)}, options, 2);
    };
    const bool warm = fit_of(20000).ok();  // the pages of the program itself are no memory for a row
    const double before = peak();
    const auto found = fit_of(rows);
    const double bytes = (peak() - before) / static_cast<double>(rows);
    _exit(warm && found.ok() && !found->constant ? static_cast<int>(std::min(bytes, 200.0)) : 255);
  }
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_LT(WEXITSTATUS(status), 16);
  EXPECT_GE(WEXITSTATUS(status), 8);  // the column of gradient norms: else nothing was measured
}

}  // namespace
}  // namespace tailcoat
