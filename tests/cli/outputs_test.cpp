// Files that commands write: refused before anything is released where they cannot be, and never left in part.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <functional>

#include "program.hpp"
#include "scratch.hpp"

namespace tailcoat {
namespace {

// What the model of scratch.hpp reads, and its target.
std::string rows(int count) {
  std::string text = "y,rooms,city\n";
  for (int i = 0; i < count; ++i)
    text += std::to_string(11 + 2 * (i % 9) + i % 2) + "," + std::to_string(i % 9) + ",Graz\n";
  return text;
}

constexpr const char* kFit = " --target y --features rooms --epsilon 2 --seed 1 ";

// Refused with this code and these words; the files are those that were there, and no budget is spent.
void expect_refused(const Scratch& scratch, int code, const std::string& arguments, const std::string& said) {
  const std::size_t files = scratch.files();
  const Outcome outcome = tailcoat_program(arguments);
  EXPECT_EQ(outcome.code, code) << arguments << outcome.err;
  EXPECT_EQ(outcome.out, "") << arguments;
  EXPECT_NE(outcome.err.find(said), std::string::npos) << arguments << ": " << outcome.err;
  EXPECT_EQ(outcome.err.find("spent"), std::string::npos) << arguments << ": " << outcome.err;
  EXPECT_EQ(scratch.files(), files) << arguments;
}

// A folder that root may write to but nobody can, a folder that is none, a name that leaves no room for a partial one.
TEST(Outputs, ThatCannotBeWrittenAreRefusedBeforeAnythingIsReleased) {
  const Scratch scratch;
  const std::string data = scratch.file("rows.csv", rows(3000)), model = scratch.file("m.json", model_text());
  for (const std::string& place : {std::string("/proc/x.json"), scratch.path("none/x"), scratch.path("rows.csv/x"),
                                   scratch.path(std::string(250, 'x'))}) {
    expect_refused(scratch, 1, "fit " + data + kFit + "--model " + place, "cannot write " + place);
    expect_refused(scratch, 1, "fit " + data + kFit + "--report " + place, "cannot write " + place);
    expect_refused(scratch, 1, "predict " + data + " --model " + model + " --output " + place, "cannot write " + place);
  }
  const std::string pipe = scratch.pipe("pipe");
  expect_refused(scratch, 1, "predict " + data + " --model " + model + " --output " + pipe, "no regular file");
  EXPECT_TRUE(std::filesystem::is_fifo(pipe));
}

// As from an unset variable in a script: not taken for no file.
TEST(Outputs, WithoutANameAreRefused) {
  const Scratch scratch;
  const std::string data = scratch.file("rows.csv", rows(3000)), model = scratch.file("m.json", model_text());
  expect_refused(scratch, 2, "fit " + data + kFit + "--model ''", "--model: the name of the file is empty");
  expect_refused(scratch, 2, "fit " + data + kFit + "--report ''", "--report: the name of the file is empty");
  expect_refused(scratch, 2, "predict " + data + " --model " + model + " --output ''", "the name of the file is empty");
}

TEST(Outputs, DoNotOverwriteWhatIsReadOrEachOther) {
  const Scratch scratch;
  const std::string data = scratch.file("rows.csv", rows(3000)), model = scratch.file("m.json", model_text());
  expect_refused(scratch, 2, "fit " + data + kFit + "--model " + data, "would be overwritten");
  expect_refused(scratch, 2, "fit " + data + kFit + "--report " + scratch.path("./rows.csv"), "would be overwritten");
  expect_refused(scratch, 2, "predict " + data + " --model " + model + " --output " + model, "would be overwritten");
  const std::string one = scratch.path("out"), same = scratch.path("./out");
  expect_refused(scratch, 2, "fit " + data + kFit + "--model " + one + " --report " + same, "two outputs");
  EXPECT_EQ(scratch.text("rows.csv"), rows(3000));
  EXPECT_EQ(scratch.text("m.json"), model_text());
}

double seconds_of(const std::string& arguments) {
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(tailcoat_program(arguments).code, 0);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// Runs the command and asks it to stop after a growing part of the time that it takes; true as soon as `seen` is.
bool interrupted_until(const std::string& arguments, const std::function<bool(const Outcome&)>& seen) {
  constexpr int kParts = 40;
  const double whole = seconds_of(arguments);
  for (int part = 1; part <= kParts; ++part) {
    const std::string after = std::to_string(whole * part / kParts);
    if (seen(tailcoat_program("--version > /dev/null; timeout -s INT " + after + " '" TAILCOAT_PROGRAM "' " +
                              arguments)))
      return true;
  }
  return false;
}

TEST(Interrupts, OfAPrivateEvaluationSayWhatIsSpent) {
  const Scratch scratch;
  const std::string evaluation = "evaluate " + scratch.file("rows.csv", rows(200000)) + " --model " +
                                 scratch.file("m.json", model_text()) + " --epsilon 2";
  EXPECT_TRUE(interrupted_until(evaluation, [](const Outcome& outcome) {
    return outcome.err.find("stopped; something was released before that: the whole budget, epsilon = 2") !=
           std::string::npos;
  }));
}

TEST(Interrupts, OfPredictionsLeaveNoFileInPart) {
  const Scratch scratch;
  const std::string output = scratch.path("out.csv");
  const std::string prediction = "predict " + scratch.file("rows.csv", rows(200000)) + " --model " +
                                 scratch.file("m.json", model_text()) + " --output " + output;
  EXPECT_TRUE(interrupted_until(prediction, [&](const Outcome& outcome) {
    const std::size_t whole = scratch.has("out.csv") ? 1 : 0;
    EXPECT_EQ(scratch.files(), 2 + whole) << "rows, model and nothing in part";
    std::filesystem::remove(output);
    return whole == 0 && outcome.err.find("stopped") != std::string::npos;
  }));
}

}  // namespace
}  // namespace tailcoat
