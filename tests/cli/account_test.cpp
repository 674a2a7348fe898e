#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "program.hpp"

namespace tailcoat {
namespace {

using nlohmann::json;

json account(const std::string& arguments) {
  const Outcome outcome = tailcoat_program("account --json " + arguments);
  EXPECT_EQ(outcome.code, 0) << arguments << ": " << outcome.err;
  EXPECT_EQ(outcome.err, "");
  EXPECT_EQ(std::count(outcome.out.begin(), outcome.out.end(), '\n'), 1) << "one object on one line";
  return json::parse(outcome.out, nullptr, false);
}

void expect_error(int code, const std::string& arguments, const std::string& said) {
  for (const char* json_flag : {"", " --json"}) {
    const Outcome outcome = tailcoat_program("account " + arguments + json_flag);
    EXPECT_EQ(outcome.code, code) << arguments;
    EXPECT_EQ(outcome.out, "") << arguments;
    EXPECT_NE(outcome.err.find(said), std::string::npos) << arguments << ": " << outcome.err;
  }
}

TEST(Account, SaysTheNoiseForABudget) {
  const json figures = account("--epsilon 1 --delta 1e-6");
  EXPECT_EQ(figures["epsilon"], 1.0);
  EXPECT_EQ(figures["delta"], 1e-6);
  EXPECT_NEAR(figures["mu"], 0.236704, 5e-7);
  EXPECT_NEAR(figures["noise_multiplier"], 4.2247, 5e-5);
  const double mu = figures["mu"];
  EXPECT_DOUBLE_EQ(figures["rho"], mu * mu / 2);
  EXPECT_NEAR(figures["zcdp_noise_multiplier"], 4.5309, 5e-5);
}

TEST(Account, ConvertsMuAndRho) {
  const json mu = account("--mu 0.236704 --delta 1e-6");
  EXPECT_NEAR(mu["epsilon"], 1, 1e-5);
  EXPECT_GT(mu["zcdp_epsilon"], mu["epsilon"]);
  const json rho = account("--rho 0.02 --epsilon 1");
  EXPECT_NEAR(rho["mu"], 0.2, 1e-15);
  EXPECT_NEAR(rho["delta"], 1.7546e-8, 1e-12);
  EXPECT_GT(rho["zcdp_delta"], rho["delta"]);
  EXPECT_FALSE(account("--mu 0.3").contains("epsilon"));
  EXPECT_NEAR(account("--mu 0.3")["rho"], 0.045, 1e-15);
}

TEST(Account, ComposesEvents) {
  const json figures = account("--compose gaussian:0.1x25 --delta 1e-6");
  EXPECT_NEAR(figures["epsilon"], account("--mu 0.5 --delta 1e-6")["epsilon"], 1e-9);
  EXPECT_EQ(figures["compose"], "gaussian:0.1x25");
  const json all =
      account("--compose 'gaussian:0.1x25, pure:0.5' bounded-range:0.2,approx:0.1:1e-7,zcdp:0.01 --delta 1e-6");
  EXPECT_NEAR(all["epsilon"], 3.07404, 1e-4);
  EXPECT_NEAR(account("--compose pure:0.5x2 --epsilon 0.9")["delta"], 0.0368713, 1e-6);
}

TEST(Account, ComposesParallelEvents) {
  const double blocks = account(
      "--compose 'parallel(gaussian:0.3x4|gaussian:0.1,parallel(pure:0.1|pure:0.2))x2' "
      "--delta 1e-6")["epsilon"];
  EXPECT_EQ(blocks, account("--compose gaussian:0.3x8 --delta 1e-6")["epsilon"]);
}

TEST(Account, ComposesSampledSteps) {
  EXPECT_NEAR(account("--compose sampled:0.01:0.5:1000 --delta 1e-6")["epsilon"], 1.3745, 5e-4);
  EXPECT_NEAR(account("--compose sampled:8.28e-5:0.7:4000000 --delta 1e-6")["epsilon"], 0.99898, 3e-4);
}

TEST(Account, PrintsATableOfAtMostAHundredColumns) {
  std::string many = "gaussian:0.1";
  for (int i = 0; i < 30; ++i) many += ",pure:0.01";
  for (const std::string& arguments :
       {std::string("--epsilon 1 --delta 1e-6"), "--compose " + many + " --delta 1e-6"}) {
    const Outcome outcome = tailcoat_program("account " + arguments);
    EXPECT_EQ(outcome.code, 0);
    std::istringstream lines(outcome.out);
    int count = 0;
    for (std::string line; std::getline(lines, line); ++count) EXPECT_LE(line.size(), 100u) << line;
    EXPECT_GE(count, 3);
  }
}

TEST(Account, RefusesNumbersOutOfRange) {
  expect_error(2, "--epsilon 0 --delta 1e-6", "epsilon = 0 is not in (0, inf)");
  expect_error(2, "--epsilon -1 --delta 1e-6", "epsilon = -1");
  expect_error(2, "--epsilon nan --delta 1e-6", "epsilon = nan");
  expect_error(2, "--epsilon inf --delta 1e-6", "epsilon = inf");
  expect_error(2, "--epsilon 1e999 --delta 1e-6", "epsilon = inf");
  expect_error(2, "--epsilon 1 --delta 0", "delta = 0 is not in (0, 1)");
  expect_error(2, "--epsilon 1 --delta 1", "delta = 1 is not in (0, 1)");
  expect_error(2, "--epsilon 1 --delta 1.5", "delta = 1.5");
  expect_error(2, "--mu 0", "mu = 0");
  expect_error(2, "--mu nan --delta 1e-6", "mu = nan");
  expect_error(2, "--rho -1", "rho = -1");
  expect_error(2, "--rho 0.1 --delta 2", "delta = 2");
  expect_error(2, "--compose pure:nan --delta 1e-6", "epsilon = nan");
  expect_error(2, "--compose approx:1:1 --delta 1e-6", "delta = 1");
}

TEST(Account, RefusesOptionsThatDoNotGoTogether) {
  expect_error(2, "", "give --epsilon and --delta");
  expect_error(2, "--epsilon 1", "give --epsilon and --delta");
  expect_error(2, "--delta 1e-6", "give --epsilon and --delta");
  expect_error(2, "--mu 1 --rho 1", "exclude each other");
  expect_error(2, "--mu 1 --compose pure:1 --delta 0.1", "exclude each other");
  expect_error(2, "--mu 1 --epsilon 1 --delta 1e-6", "not both");
  expect_error(2, "--compose pure:1", "--compose needs --delta");
  expect_error(2, "--epsilon 1 --epsilon 2 --delta 1e-6", "--epsilon");
  expect_error(2, "--epsilon one --delta 1e-6", "one");
  expect_error(2, "--epsilon", "--epsilon");
}

TEST(Account, SaysWhereAListStopsMakingSense) {
  expect_error(2, "--compose gauss:1 --delta 0.1", "found 'gauss:1'");
  expect_error(2, "--compose pure --delta 0.1", "found 'pure'");
  expect_error(2, "--compose pure: --delta 0.1", "expected a number, found the end");
  expect_error(2, "--compose pure:1, --delta 0.1", "found the end");
  expect_error(2, "--compose pure:1x --delta 0.1", "expected a count");
  expect_error(2, "--compose pure:1x0 --delta 0.1", "count of 0");
  expect_error(2, "--compose pure:1x-1 --delta 0.1", "expected a count");
  expect_error(2, "--compose pure:1y --delta 0.1", "found 'y'");
  expect_error(2, "--compose approx:1 --delta 0.1", "a delta");
  expect_error(2, "--compose 'parallel(pure:1' --delta 0.1", "found the end");
  expect_error(2, "--compose 'parallel()' --delta 0.1", "found ')'");
  expect_error(2, "--compose 'pure:1)' --delta 0.1", "found ')'");
}

TEST(Account, RefusesListsWithoutBound) {
  expect_error(2, "--compose pure:1x1000001 --delta 0.1", "more than 1000000");
  expect_error(2, "--compose pure:1,pure:1x18446744073709551615 --delta 0.1", "more than 1000000");
  expect_error(2, "--compose pure:1x99999999999999999999999 --delta 0.1", "expected a count");
  expect_error(2, "--compose 'parallel(pure:1x500000)x400000' --delta 0.1", "more than 1000000");
  std::string deep = "pure:1";
  for (int i = 0; i < 2000; ++i) deep = "parallel(" + deep + ")";
  expect_error(2, "--compose '" + deep + "' --delta 0.1", "deep");
}

TEST(Account, RefusesWhatHasNoAnswer) {
  expect_error(3, "--compose approx:1:0.5 --delta 1e-6", "no finite epsilon");
  expect_error(3, "--mu 1e200", "no finite rho");
}

TEST(Account, NeverPrintsNumbersThatAreNotFinite) {
  for (const char* arguments : {"--mu 1e-310", "--mu 1e154", "--rho 1e308", "--rho 1e-320",
                                "--epsilon 1e308 --delta 0.1", "--epsilon 1e-320 --delta 1e-320",
                                "--compose pure:1e308x3 --delta 0.1", "--compose gaussian:1e-300 --epsilon 1e300"}) {
    const Outcome outcome = tailcoat_program(std::string("account --json ") + arguments);
    EXPECT_NE(outcome.code, -1) << arguments;
    EXPECT_EQ(outcome.code == 0, !outcome.out.empty()) << arguments;
    EXPECT_EQ(json::accept(outcome.out), outcome.code == 0) << outcome.out;
    EXPECT_EQ(outcome.out.find("null"), std::string::npos) << outcome.out;
    EXPECT_EQ(outcome.out.find("inf"), std::string::npos) << outcome.out;
    EXPECT_EQ(outcome.out.find("nan"), std::string::npos) << outcome.out;
  }
}

}  // namespace
}  // namespace tailcoat
