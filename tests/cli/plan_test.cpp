#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "program.hpp"

namespace tailcoat {
namespace {

using nlohmann::json;

const std::string kExample = "plan --rows 100000 --features 20 --epsilon 1 --moments 3,1.6,2.5 --diameter 2 ";

json plan(const std::string& arguments) {
  const Outcome outcome = tailcoat_program(arguments + " --json");
  EXPECT_EQ(outcome.code, 0) << arguments << ": " << outcome.err;
  EXPECT_EQ(outcome.err, "");
  return json::parse(outcome.out, nullptr, false);
}

const json* find(const json& plan, const std::string& name) {
  for (const json& algorithm : plan["algorithms"])
    if (algorithm["name"] == name) return &algorithm;
  return nullptr;
}

void expect_error(int code, const std::string& arguments, const std::string& said) {
  const Outcome outcome = tailcoat_program(arguments);
  EXPECT_EQ(outcome.code, code) << arguments;
  EXPECT_EQ(outcome.out, "") << arguments;
  EXPECT_NE(outcome.err.find(said), std::string::npos) << arguments << ": " << outcome.err;
}

TEST(Plan, EveryAlgorithmHasAForecastOrAReason) {
  const json figures = plan(kExample);
  EXPECT_EQ(figures["schema"], "tailcoat-plan/1");
  EXPECT_EQ(figures["delta"], 1e-6);
  ASSERT_FALSE(figures["algorithms"].empty());
  for (const json& algorithm : figures["algorithms"]) {
    if (!algorithm["runs"]) {
      EXPECT_NE(algorithm["refused"], "") << algorithm;
      continue;
    }
    for (const char* field : {"sample_gradients", "passes", "wanted_passes", "estimated_seconds", "memory_bytes"})
      EXPECT_GT(algorithm[field].get<double>(), 0) << algorithm;
    if (algorithm["certified"]) {
      EXPECT_GT(algorithm["certified_bound"].get<double>(), 0) << algorithm;
      EXPECT_LE(algorithm["certified_bound"], figures["trivial_bound"]) << algorithm;
    }
  }
}

TEST(Plan, ImplicitGlmIsBetweenTheRateAndTheTrivialBound) {
  const json figures = plan(kExample);
  const json* algorithm = find(figures, "implicit-glm");
  ASSERT_NE(algorithm, nullptr);
  const double bound = (*algorithm)["certified_bound"];
  EXPECT_GT(bound, figures["rate"].get<double>());
  EXPECT_LT(bound, 0.1 * figures["trivial_bound"].get<double>());
  EXPECT_EQ((*algorithm)["sample_gradients"], 100000.0);
}

TEST(Plan, DefaultDeltaShrinksWithTheRows) {
  EXPECT_DOUBLE_EQ(plan("plan --rows 1e6 --features 5 --epsilon 1 --moments 2,1,1 --diameter 1")["delta"], 1e-7);
  EXPECT_DOUBLE_EQ(plan(kExample + "--delta 1e-9")["delta"], 1e-9);
}

TEST(Plan, MoreBudgetIsABetterBound) {
  const auto bound = [](const std::string& more) {
    const json figures = plan(kExample + more);
    return (*find(figures, "implicit-glm"))["certified_bound"].get<double>();
  };
  EXPECT_LT(bound("--delta 1e-4"), bound("--delta 1e-8"));
}

TEST(Plan, TableFitsAHundredColumnsAndNamesRefusals) {
  const Outcome outcome = tailcoat_program(kExample);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  std::istringstream lines(outcome.out);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100u) << line;
  EXPECT_NE(outcome.out.find("\nrate 0.0309 (the best there can be, up to a constant)\n"), std::string::npos);
  EXPECT_EQ(outcome.out.find("lower bound"), std::string::npos) << "a rate without its constant is none";
  EXPECT_NE(outcome.out.find("trivial: its theorem promises no less"), std::string::npos) << outcome.out;
  const Outcome paper = tailcoat_program(kExample + "--constants paper");
  EXPECT_NE(paper.out.find("implicit-glm is not in the paper"), std::string::npos) << paper.out;
}

TEST(Plan, AGeneralProblemSaysWhatEachAlgorithmMisses) {
  const json figures = plan(kExample + "--problem general");
  EXPECT_EQ(figures["problem"], "general");
  EXPECT_EQ(plan(kExample)["problem"], "glm");
  EXPECT_TRUE((*find(figures, "localized"))["runs"]);
  EXPECT_TRUE((*find(figures, "clipped-dp-sgd"))["runs"]);
  const auto refused = [](const json& plan, const char* name) {
    return find(plan, name)->value("refused", std::string("runs"));
  };
  EXPECT_NE(refused(figures, "implicit-glm").find("generalised linear models"), std::string::npos);
  EXPECT_NE(refused(figures, "known-lipschitz").find("smoothness = inf"), std::string::npos);
  EXPECT_NE(refused(figures, "implicit").find("step-error"), std::string::npos);
  EXPECT_TRUE((*find(plan(kExample + "--problem general --smoothness 1"), "implicit"))["runs"]);
  const json given = plan(kExample + "--problem general --step-error 0");
  EXPECT_TRUE((*find(given, "implicit"))["runs"]);
  EXPECT_EQ(given["step_error"], 0.0);
  const json coarse = plan(
      "plan --rows 1e6 --features 20 --epsilon 1 --moments 3,1.6,2.5 --diameter 2 --problem general --step-error "
      "1e-13");
  EXPECT_NE(refused(coarse, "implicit").find("too inexact"), std::string::npos);
}

TEST(Plan, AFailureProbabilityOfZeroIsTheDefault) {
  EXPECT_EQ(plan(kExample)["failure_probability"], 0.0);
  EXPECT_EQ((*find(plan(kExample + "--failure-probability 0"), "localized"))["certified_bound"],
            (*find(plan(kExample), "localized"))["certified_bound"]);
}

TEST(Plan, NumbersAreFiniteHoweverOddTheInputs) {
  for (const char* arguments :
       {"plan --rows 1 --features 1 --epsilon 1e-6 --moments 2,1,1 --diameter 1e-50",
        "plan --rows 1e15 --features 1e7 --epsilon 1e-3 --moments 1000,1e-90,1e90 --diameter 1e90",
        "plan --rows 1e4 --features 3 --epsilon 50 --moments 2,1,1 --diameter 1 --smoothness 1e-50 --max-passes 1",
        "plan --rows 1e4 --features 3 --epsilon 1 --moments 2,1,1 --diameter 1 --strong-convexity 1 --smoothness 1"}) {
    const Outcome outcome = tailcoat_program(std::string(arguments) + " --json");
    EXPECT_EQ(outcome.code == 0, json::accept(outcome.out)) << arguments << outcome.out << outcome.err;
    EXPECT_EQ(outcome.out.find("null"), std::string::npos) << arguments;
  }
}

TEST(Plan, RefusesBadInput) {
  expect_error(2, "plan", "give --rows");
  expect_error(2, "plan --rows 10", "give --features");
  expect_error(2, "plan --rows 10 --features 2", "give --epsilon");
  expect_error(2, "plan --rows 10 --features 2 --epsilon 1", "give --moments");
  expect_error(2, "plan --rows 10 --features 2 --epsilon 1 --moments 2,1,1", "give --diameter");
  expect_error(2, kExample + "--rows 3", "--rows");
  const std::string rest = " --features 20 --epsilon 1 --moments 3,1.6,2.5 --diameter 2";
  expect_error(2, "plan --rows 0" + rest, "rows = 0");
  expect_error(2, "plan --rows 2.5" + rest, "rows = 2.5 is not a whole number");
  expect_error(2, "plan --rows -4" + rest, "rows = -4");
  expect_error(2, "plan --rows nan" + rest, "rows = nan");
  expect_error(2, "plan --rows many" + rest, "many");
  const std::string before = "plan --rows 100 --features 2 --epsilon 1 --diameter 2 --moments ";
  for (const char* moments : {"3", "3,1", "3,1,2,4", "a,b,c", "3,1,", ",1,2", "'3, 1, 2'", "'3;1;2'"})
    expect_error(2, before + moments, "three numbers");
  expect_error(2, before + "1.5,1,2", "k = 1.5 is below 2, with G2 = 1; give K,GK alone");
  expect_error(2, before + "1,2", "k = 1 is not in (1, 1000]");
  expect_error(2, before + "3,2,1", "Gk = 1 is below G2 = 2");
  expect_error(2, before + "3,0,1", "G2 = 0");
  expect_error(2, before + "3,nan,1", "G2 = nan");
  expect_error(2, kExample + "--delta 1", "delta = 1");
  expect_error(2, kExample + "--delta -1e-9", "delta = -1e-09");
  expect_error(3, kExample + "--delta 0.2", "delta = 0.2 is above 0.1");
  expect_error(2, kExample + "--smoothness 0", "smoothness = 0");
  expect_error(2, kExample + "--strong-convexity -1", "strong-convexity = -1");
  expect_error(2, kExample + "--max-passes 0", "max-passes = 0");
  expect_error(2, kExample + "--failure-probability -0.1", "failure-probability = -0.1");
  expect_error(2, kExample + "--problem convex", "problem 'convex' is neither glm nor general");
  expect_error(2, kExample + "--step-error 1e-15", "step-error is for problem general");
  expect_error(2, kExample + "--problem general --step-error -1", "step-error = -1");
  expect_error(2, kExample + "--constants loose", "neither tight nor paper");
  expect_error(2, kExample + "--chart plot.png", ".svg or .html");
}

TEST(Plan, DeltaZeroIsPureAndForKnownLipschitzAlone) {
  const json figures = plan(kExample + "--delta 0");
  EXPECT_EQ(figures["delta"], 0.0);
  EXPECT_FALSE(figures.contains("mu"));
  for (const json& algorithm : figures["algorithms"]) {
    EXPECT_EQ(algorithm["runs"], algorithm["name"] == "known-lipschitz") << algorithm;
    if (!algorithm["runs"]) {
      EXPECT_NE(algorithm["refused"].get<std::string>().find("use known-lipschitz"), std::string::npos) << algorithm;
    }
  }
  const double bound = (*find(figures, "known-lipschitz"))["certified_bound"];
  EXPECT_GT(bound, (*find(plan(kExample), "known-lipschitz"))["certified_bound"].get<double>());
  EXPECT_LT(bound, 0.1 * figures["trivial_bound"].get<double>());
  EXPECT_NE(tailcoat_program(kExample + "--delta 0").out.find("epsilon 1, delta 0: pure epsilon-DP"),
            std::string::npos);
}

TEST(Plan, MomentsBelowTwoHaveNoG2) {
  const json figures = plan("plan --rows 1e6 --features 20 --epsilon 1 --diameter 2 --moments 1.5,2");
  EXPECT_FALSE(figures["moments"].contains("g2"));
  EXPECT_EQ(figures["trivial_bound"], 2.0);
  for (const char* name : {"known-lipschitz", "known-lipschitz-gd", "implicit-glm"}) {
    const json* algorithm = find(figures, name);
    ASSERT_TRUE((*algorithm)["runs"]) << *algorithm;
    EXPECT_LT((*algorithm)["certified_bound"].get<double>(), 0.3 * figures["trivial_bound"].get<double>()) << name;
  }
  EXPECT_TRUE((*find(figures, "localized"))["runs"]);
  EXPECT_NE((*find(figures, "clipped-dp-sgd"))["refused"].get<std::string>().find("k = 1.5"), std::string::npos);
}

TEST(Plan, DrawsCharts) {
  const std::string directory = testing::TempDir();
  for (const std::string ending : {"svg", "html"}) {
    const std::string path = directory + "tailcoat-plan." + ending;
    const Outcome outcome = tailcoat_program(kExample + "--chart " + path);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    const std::string picture = read_and_remove(path);
    EXPECT_NE(picture.find("<svg"), std::string::npos);
    EXPECT_NE(picture.find("implicit-glm"), std::string::npos);
    EXPECT_EQ(picture.find("nan"), std::string::npos);
  }
}

TEST(Plan, AChartThatCannotBeWrittenLeavesNothing) {
  const std::string parent = testing::TempDir() + "tailcoat-no-such-directory";
  expect_error(1, kExample + "--chart " + parent + "/plot.svg", "cannot write");
  EXPECT_FALSE(std::filesystem::exists(parent));
}

}  // namespace
}  // namespace tailcoat
