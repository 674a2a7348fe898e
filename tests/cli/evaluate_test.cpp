#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "program.hpp"
#include "scratch.hpp"

namespace tailcoat {
namespace {

using nlohmann::json;

void expect_error(int code, const std::string& arguments, const std::string& said) {
  const Outcome outcome = tailcoat_program("evaluate " + arguments);
  EXPECT_EQ(outcome.code, code) << arguments << outcome.err;
  EXPECT_EQ(outcome.out, "") << arguments;
  EXPECT_NE(outcome.err.find(said), std::string::npos) << arguments << ": " << outcome.err;
}

// Residuals alternate between 1 and -1.
std::string rows(int count) {
  std::string text = "unused,y,rooms,city\n";
  for (int i = 0; i < count; ++i)
    text +=
        "?!," + std::to_string(1 + 2 * (i % 9) + 10 + (i % 2 == 0 ? 1 : -1)) + "," + std::to_string(i % 9) + ",Graz\n";
  return text;
}

TEST(Evaluate, PublicMetrics) {
  const Scratch scratch;
  const std::string arguments =
      "evaluate " + scratch.file("rows.csv", rows(900)) + " --model " + scratch.file("m.json", model_text());
  const Outcome outcome = tailcoat_program(arguments + " --json");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const json figures = json::parse(outcome.out, nullptr, false);
  EXPECT_EQ(figures["schema"], "tailcoat-evaluate/1");
  EXPECT_EQ(figures["private"], false);
  EXPECT_EQ(figures["rows"], 900);
  EXPECT_NEAR(figures["metrics"]["mse"].get<double>(), 1, 1e-9);
  EXPECT_NEAR(figures["metrics"]["mae"].get<double>(), 1, 1e-9);
  EXPECT_GT(figures["metrics"]["r2"].get<double>(), 0.9);
  EXPECT_NEAR(figures["constant_metrics"]["r2"].get<double>(), 0, 1e-9);
  const Outcome table = tailcoat_program(arguments);
  EXPECT_NE(table.out.find("median_absolute_error"), std::string::npos);
  std::istringstream lines(table.out);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100u) << line;
}

TEST(Evaluate, PrivateMetricsComeWithErrorsAndAReceipt) {
  const Scratch scratch;
  const std::string arguments = "evaluate " + scratch.file("rows.csv", rows(20000)) + " --model " +
                                scratch.file("m.json", model_text()) + " --epsilon 2";
  const Outcome outcome = tailcoat_program(arguments + " --json --seed 3 --threads 1");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.err.find("the noise comes from a seed"), std::string::npos);
  const json figures = json::parse(outcome.out, nullptr, false);
  EXPECT_EQ(figures["private"], true);
  EXPECT_EQ(figures["receipt"]["budget"]["epsilon"], 2.0);
  EXPECT_EQ(figures["receipt"]["budget"]["delta"], 1e-6);
  EXPECT_EQ(figures["receipt"]["secure"], false);
  const double error = figures["standard_errors"]["mae"];
  EXPECT_NEAR(figures["metrics"]["mae"].get<double>(), 1, 5 * error);
  EXPECT_EQ(tailcoat_program(arguments + " --json --seed 3 --threads 2").out, outcome.out);
  const Outcome secure = tailcoat_program(arguments + " --json");
  EXPECT_EQ(json::parse(secure.out, nullptr, false)["receipt"]["secure"], true);
  EXPECT_EQ(secure.err, "");
  const std::string notes = figures["notes"].dump();
  EXPECT_NE(notes.find("r2 too high; standard errors leave that out"), std::string::npos) << notes;
  EXPECT_NE(notes.find("of the rows (+- "), std::string::npos) << notes;
  const Outcome table = tailcoat_program(arguments);
  EXPECT_NE(table.out.find("standard errors leave that out"), std::string::npos) << table.out;
  EXPECT_NE(table.out.find("Charged: epsilon 2, delta 1e-06"), std::string::npos) << table.out;
}

TEST(Evaluate, RefusesBadInput) {
  const Scratch scratch;
  const std::string data = scratch.file("rows.csv", rows(100)), model = scratch.file("m.json", model_text());
  const std::string both = data + " --model " + model;
  expect_error(2, data, "give --model");
  expect_error(2, both + " --epsilon 0", "epsilon = 0");
  expect_error(2, both + " --epsilon -1", "epsilon = -1");
  expect_error(2, both + " --epsilon 1 --delta 0", "delta = 0");
  expect_error(3, both + " --epsilon 1 --delta 0.2", "delta = 0.2 is above 0.1");
  expect_error(2, both + " --delta 1e-6", "give --epsilon too");
  expect_error(3, both + " --epsilon 0.1", "100 rows are too few");
  expect_error(1, scratch.file("none.csv", "y,rooms,city\n") + " --model " + model, "none of 0 rows");
  expect_error(1, scratch.path("none.csv") + " --epsilon 1 --model " + model, "no rows");
  expect_error(2, scratch.file("other.csv", "rooms,city\n1,Graz\n") + " --model " + model, "'y'");
}

TEST(Evaluate, WarnsOfALargeDelta) {
  const Scratch scratch;
  const Outcome outcome = tailcoat_program("evaluate " + scratch.file("rows.csv", rows(20000)) + " --model " +
                                           scratch.file("m.json", model_text()) + " --epsilon 2 --delta 1e-3");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.err.find("warning: delta = 0.001 is above 1 / rows"), std::string::npos) << outcome.err;
}

}  // namespace
}  // namespace tailcoat
