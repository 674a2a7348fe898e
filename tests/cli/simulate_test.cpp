#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "program.hpp"

namespace tailcoat {
namespace {

using nlohmann::json;

const std::string kFile =
    testing::TempDir() + "tailcoat-simulate-" + std::to_string(getpid()) + ".csv";  // tests run at once

std::string simulated(const std::string& arguments) {
  const Outcome outcome = tailcoat_program("simulate --output " + kFile + " " + arguments);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  return read_and_remove(kFile);
}

void expect_error(int code, const std::string& arguments, const std::string& said) {
  const Outcome outcome = tailcoat_program("simulate " + arguments);
  EXPECT_EQ(outcome.code, code) << arguments;
  EXPECT_EQ(outcome.out, "") << arguments;
  EXPECT_NE(outcome.err.find(said), std::string::npos) << arguments << ": " << outcome.err;
}

TEST(Simulate, WritesRowsUnderAHeader) {
  const std::string csv = simulated("--rows 7 --features 2");
  EXPECT_EQ(csv.substr(0, csv.find('\n')), "x1,x2,label");
  EXPECT_EQ(std::ranges::count(csv, '\n'), 8);
  EXPECT_EQ(std::ranges::count(csv, ','), 16);
  EXPECT_EQ(simulated("--kind mean --rows 3 --features 2").substr(0, 6), "x1,x2\n");
  EXPECT_EQ(simulated("--kind hard --rows 3 --features 1").substr(0, 3), "x1\n");
  const std::string classes = simulated("--kind logistic --rows 50 --features 1");
  EXPECT_NE(classes.find(",1\n"), std::string::npos);
  EXPECT_NE(classes.find(",-1\n"), std::string::npos);
}

TEST(Simulate, SeedsDecideTheFile) {
  EXPECT_EQ(simulated("--rows 20 --seed 3"), simulated("--rows 20 --seed 3"));
  EXPECT_NE(simulated("--rows 20 --seed 3"), simulated("--rows 20 --seed 4"));
  EXPECT_NE(simulated("--rows 20 --tail t:3"), simulated("--rows 20 --tail pareto:3"));
}

TEST(Simulate, SaysTheBestModelAndMomentsForPlan) {
  const Outcome outcome = tailcoat_program("simulate --json --rows 5 --features 3 --tail t:3.5 --output " + kFile);
  read_and_remove(kFile);
  const json figures = json::parse(outcome.out, nullptr, false);
  EXPECT_EQ(figures["schema"], "tailcoat-simulate/1");
  EXPECT_EQ(std::ranges::count(figures["best_model"].get<std::string>(), ','), 2);
  const std::string moments = figures["moments"];
  EXPECT_TRUE(moments.starts_with("3,")) << moments;
  const Outcome plan = tailcoat_program("plan --rows 1000 --features 3 --epsilon 1 --diameter 2 --moments " + moments);
  EXPECT_EQ(plan.code, 0) << plan.err;
}

// What simulate prints is what fit needs: rows with the constant 1, or without, and a fit that says the same.
TEST(Simulate, MomentsAreThoseOfTheRowsThatFitUses) {
  const std::string made = "simulate --json --rows 2000 --features 3 --tail t:3.5 --output " + kFile;
  const json with = json::parse(tailcoat_program(made).out, nullptr, false);
  const json without = json::parse(tailcoat_program(made + " --no-intercept").out, nullptr, false);
  EXPECT_EQ(with["moments_of"], "features and the constant 1");
  EXPECT_EQ(without["moments_of"], "features alone");
  EXPECT_EQ(with["diameter"], 2.0);
  // E |a|^2 = 3 * 3.5 / 1.5 = 7, and one more for the constant.
  const auto g2 = [](const json& figures) {
    const std::string moments = figures["moments"];
    return std::stod(moments.substr(moments.find(',') + 1));
  };
  EXPECT_NEAR(g2(without), std::sqrt(7), 1e-6);
  EXPECT_NEAR(g2(with), std::sqrt(8), 1e-6);
  const std::string fit = "fit " + kFile + " --target label --loss absolute --epsilon 1 --seed 1 --json --diameter 2 " +
                          "--algorithm implicit-glm --moments ";
  for (const std::string& arguments :
       {with["moments"].get<std::string>(), without["moments"].get<std::string>() + " --no-intercept"}) {
    const Outcome outcome = tailcoat_program(fit + arguments);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    const json fitted = json::parse(outcome.out, nullptr, false);
    EXPECT_LE(fitted["certified"]["excess_risk"].get<double>(), 3);
    EXPECT_EQ(fitted["intercept"].get<double>() == 0, arguments.ends_with("--no-intercept"));
  }
  read_and_remove(kFile);
  const json mean = json::parse(tailcoat_program(made + " --kind mean").out, nullptr, false);
  read_and_remove(kFile);
  EXPECT_EQ(mean["moments_of"], "features alone") << "no label, no intercept";
}

TEST(Simulate, RefusesBadInput) {
  expect_error(2, "--output x.csv", "give --rows");
  expect_error(2, "--rows 5", "give --output");
  expect_error(2, "--rows 0 --output x.csv", "rows = 0");
  expect_error(2, "--rows 1.5 --output x.csv", "not a whole number");
  expect_error(2, "--rows 5 --features 0 --output x.csv", "features = 0");
  expect_error(2, "--rows 5 --kind cubic --output x.csv", "no kind 'cubic'");
  expect_error(2, "--rows 5 --tail gauss --output x.csv", "tail 'gauss'");
  expect_error(2, "--rows 5 --tail t:0.5 --output x.csv", "0.5 is not in [1.1, 30]");
  expect_error(2, "--rows 5 --seed -1 --output x.csv", "seed = -1");
  expect_error(2, "--rows 5 --order 1 --kind hard --output x.csv", "order = 1");
}

TEST(Simulate, AFileThatCannotBeWrittenLeavesNothing) {
  const std::string parent = testing::TempDir() + "tailcoat-no-such-directory";
  expect_error(1, "--rows 5 --output " + parent + "/x.csv", "cannot write " + parent + "/x.csv");
  EXPECT_FALSE(std::filesystem::exists(parent));
  const std::string taken = testing::TempDir() + "tailcoat-taken";
  std::filesystem::create_directory(taken);
  expect_error(1, "--rows 5 --output " + taken, "cannot write " + taken);
  for (const auto& entry : std::filesystem::directory_iterator(testing::TempDir()))
    EXPECT_EQ(entry.path().string().find("partial"), std::string::npos) << entry.path();
  std::filesystem::remove(taken);
}

}  // namespace
}  // namespace tailcoat
