#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "program.hpp"

namespace tailcoat {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

std::string fresh_directory() {
  std::string directory = testing::TempDir() + "tailcoat-experiment-XXXXXX";
  EXPECT_NE(mkdtemp(directory.data()), nullptr);
  return directory;
}

json experiment(const std::string& arguments) {
  const Outcome outcome = tailcoat_program("experiment --quick --json " + arguments);
  EXPECT_EQ(outcome.code, 0) << arguments << ": " << outcome.err;
  EXPECT_EQ(outcome.err, "") << "no progress bar in a pipe";
  return json::parse(outcome.out, nullptr, false);
}

TEST(Experiment, SvtErratumShowsTheViolation) {
  const json figures = experiment("svt-erratum");
  EXPECT_EQ(figures["claimed_delta"], 1e-6);
  EXPECT_GT(figures["published_delta_lower_bound"].get<double>(), 4e-3);
  EXPECT_LE(figures["published_delta_lower_bound"], figures["published_delta_exact"]);
  EXPECT_LE(figures["corrected_delta_upper_bound"], figures["claimed_delta"]);
}

TEST(Experiment, PaperVsTightComparesEveryAlgorithmOfThePaper) {
  const json figures = experiment("paper-vs-tight");
  ASSERT_FALSE(figures["algorithms"].empty());
  for (const json& algorithm : figures["algorithms"])
    for (const char* field : {"excess_paper", "excess_tight", "excess_nonprivate"})
      EXPECT_TRUE(algorithm[field].is_number()) << algorithm;
  for (const json& algorithm : figures["refused"])
    EXPECT_TRUE(algorithm.contains("refused_paper") || algorithm.contains("refused_tight")) << algorithm;
}

TEST(Experiment, WritesChartsPageAndTheFiguresOfItsSeed) {
  const std::string directory = fresh_directory(), made = directory + "/made";
  const Outcome outcome = tailcoat_program("experiment paper-vs-tight --quick --seed 7 --output " + made);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  std::istringstream lines(outcome.out);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100u) << line;
  EXPECT_TRUE(fs::exists(made + "/paper-vs-tight.html"));
  EXPECT_TRUE(fs::exists(made + "/paper-vs-tight-smooth.svg"));
  for (const auto& entry : fs::directory_iterator(made))
    EXPECT_EQ(entry.path().string().find("partial"), std::string::npos) << entry.path();
  const json written = json::parse(read_and_remove(made + "/paper-vs-tight.json"), nullptr, false);
  EXPECT_EQ(written, experiment("paper-vs-tight --seed 7"));
  fs::remove_all(directory);
}

TEST(Experiment, SeedsRepeatAndChangeTheFigures) {
  const json one = experiment("svt-erratum --seed 7");
  EXPECT_EQ(one, experiment("svt-erratum --seed 7"));
  EXPECT_NE(one["published_delta_lower_bound"], experiment("svt-erratum --seed 8")["published_delta_lower_bound"]);
}

TEST(Experiment, ADirectoryThatCannotBeWrittenFailsBeforeTheRunAndLeavesNothing) {
  const std::string directory = fresh_directory();
  std::ofstream(directory + "/file") << "kept";
  for (const std::string output : {"/file", "/file/below", "/no/such"}) {
    const Outcome outcome = tailcoat_program("experiment svt-erratum --output " + directory + output);
    EXPECT_EQ(outcome.code, 1) << output;
    EXPECT_EQ(outcome.out, "");
    EXPECT_NE(outcome.err.find("cannot write " + directory + output), std::string::npos) << outcome.err;
  }
  EXPECT_EQ(read_and_remove(directory + "/file"), "kept");
  EXPECT_TRUE(fs::is_empty(directory));
  // A file whose name is taken by a directory: found out at the end, and still nothing is there in part.
  fs::create_directory(directory + "/svt-erratum.json");
  EXPECT_EQ(tailcoat_program("experiment svt-erratum --quick --output " + directory).code, 1);
  EXPECT_EQ(std::distance(fs::directory_iterator(directory), {}), 1);
  fs::remove_all(directory);
}

TEST(Experiment, RefusesBadInput) {
  for (const auto& [arguments, said] : {std::pair{"", "NAME"},
                                        {"frobnicate", "there is no experiment 'frobnicate'; there are rates"},
                                        {"rates --seed x", "x"},
                                        {"rates --seed -1", "seed = -1"},
                                        {"rates extra", "extra"}}) {
    const Outcome outcome = tailcoat_program(std::string("experiment ") + arguments);
    EXPECT_EQ(outcome.code, 2) << arguments;
    EXPECT_EQ(outcome.out, "");
    EXPECT_NE(outcome.err.find(said), std::string::npos) << arguments << ": " << outcome.err;
  }
}

}  // namespace
}  // namespace tailcoat
