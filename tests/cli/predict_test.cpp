#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "program.hpp"
#include "scratch.hpp"

namespace tailcoat {
namespace {

using nlohmann::json;

constexpr const char* kRows = "id,rooms,note,city\n007,2,\"a, \"\"b\"\"\",Graz\n8,,x,Linz\n9,1000,,\n";

void expect_error(int code, const std::string& arguments, const std::string& said) {
  const Outcome outcome = tailcoat_program("predict " + arguments);
  EXPECT_EQ(outcome.code, code) << arguments << outcome.err;
  EXPECT_EQ(outcome.out, "") << arguments;
  EXPECT_NE(outcome.err.find(said), std::string::npos) << arguments << ": " << outcome.err;
}

TEST(Predict, TreatsCellsAsTheFitDid) {
  const Scratch scratch;
  const std::string data = scratch.file("rows.csv", kRows), model = scratch.file("m.json", model_text());
  const Outcome outcome = tailcoat_program("predict " + data + " --model " + model);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "prediction\n15\n12\n24\n");  // a city that is not known counts as half a Graz
}

TEST(Predict, KeepsColumnsAsTheyAre) {
  const Scratch scratch;
  const std::string data = scratch.file("rows.csv", kRows), model = scratch.file("m.json", model_text());
  const Outcome outcome = tailcoat_program("predict " + data + " --keep id,note --model " + model);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "id,note,prediction\n007,\"a, \"\"b\"\"\",15\n8,x,12\n9,,24\n");
}

TEST(Predict, WritesAFileAndSaysSo) {
  const Scratch scratch;
  const std::string data = scratch.file("rows.csv", kRows), model = scratch.file("m.json", model_text());
  const Outcome outcome =
      tailcoat_program("predict " + data + " --model " + model + " --json --output " + scratch.path("p.csv"));
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const json figures = json::parse(outcome.out, nullptr, false);
  EXPECT_EQ(figures["schema"], "tailcoat-predict/1");
  EXPECT_EQ(figures["rows"], 3);
  EXPECT_EQ(scratch.text("p.csv"), "prediction\n15\n12\n24\n");
  EXPECT_EQ(scratch.files(), 3u);
}

TEST(Predict, ClassesWithProbabilities) {
  const Scratch scratch;
  const std::string data = scratch.file("rows.csv", "rooms,city\n0,Linz\n");
  const std::string two = scratch.file("two.json", model_text("logistic", R"(["no","y,es"])"));
  const std::string start = "prediction,probability\n\"y,es\",0.99752737";  // margin 6: half a Graz
  EXPECT_EQ(tailcoat_program("predict " + data + " --model " + two).out.substr(0, start.size()), start);
  const std::string hinge = scratch.file("hinge.json", model_text("hinge", R"(["no","yes"])"));
  EXPECT_EQ(tailcoat_program("predict " + data + " --model " + hinge).out, "prediction\nyes\n");
}

TEST(Predict, MissingExposureIsAMissingPrediction) {
  const Scratch scratch;
  const std::string data = scratch.file("rows.csv", "rooms,city,years\n0,Linz,0\n0,Linz,\n");
  const std::string model = scratch.file("m.json", model_text("poisson", "[]", "years"));
  EXPECT_EQ(tailcoat_program("predict " + data + " --model " + model).out, "prediction\n0\n\n");
}

TEST(Predict, StreamsLargeFiles) {
  const Scratch scratch;
  std::string rows = "rooms,city\n";
  for (int i = 0; i < 100000; ++i) rows += std::to_string(i % 9) + (i % 2 == 0 ? ",Graz\n" : ",Linz\n");
  const std::string data = scratch.file("rows.csv", rows), model = scratch.file("m.json", model_text());
  std::istringstream lines(tailcoat_program("predict " + data + " --model " + model).out);
  std::string line;
  std::getline(lines, line);
  for (int i = 0; i < 100000; ++i) {
    ASSERT_TRUE(std::getline(lines, line)) << i;
    ASSERT_EQ(line, std::to_string(1 + 2 * (i % 9) + (i % 2 == 0 ? 10 : 5))) << i;
  }
  EXPECT_FALSE(std::getline(lines, line));
}

TEST(Predict, RefusesBadInput) {
  const Scratch scratch;
  const std::string model = scratch.file("m.json", model_text()), rows = scratch.file("rows.csv", kRows);
  const std::string with = " --model " + model;
  expect_error(2, rows, "give --model");
  expect_error(2, "", "DATA");
  expect_error(2, rows + with + " --json", "--json is a summary and needs --output");
  expect_error(2, rows + with + " --keep idd", "'id'");
  expect_error(1, rows + " --model " + scratch.path("none.json"), "cannot read");
  expect_error(1, rows + " --model " + rows, "no tailcoat model");
  expect_error(1, rows + " --model " + scratch.path(""), "cannot read");
  expect_error(1, scratch.path("none.csv") + with, "none.csv");
  expect_error(2, scratch.file("other.csv", "rooms,town\n1,Graz\n") + with, "city");
  expect_error(1, scratch.file("empty.csv", "") + with, "header");
}

TEST(Predict, ABadCellIsNamedAndLeavesNoFile) {
  const Scratch scratch;
  const std::string model = scratch.file("m.json", model_text());
  const std::string rows = scratch.file("rows.csv", "rooms,city\n1,Graz\nmany,Graz\n");
  expect_error(1, rows + " --model " + model + " --output " + scratch.path("p.csv"), "line 3");
  EXPECT_EQ(scratch.files(), 2u);
}

TEST(Predict, AnOutputThatCannotBeWrittenIsAFailure) {
  const Scratch scratch;
  const std::string arguments =
      scratch.file("rows.csv", kRows) + " --model " + scratch.file("m.json", model_text()) + " ";
  expect_error(1, arguments + "--output " + scratch.path("none/p.csv"), "cannot write");
  EXPECT_EQ(tailcoat_program("predict " + arguments + "> /dev/full #").code, 1);
  EXPECT_EQ(scratch.files(), 2u);
}

}  // namespace
}  // namespace tailcoat
