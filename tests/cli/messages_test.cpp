// What a newcomer reads: refusals that say what to type instead, notes on what was left out, tables without riddles.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>

#include "program.hpp"
#include "scratch.hpp"

namespace tailcoat {
namespace {

using nlohmann::json;

constexpr const char* kLong = "number_of_rooms_of_the_house_including_kitchen_and_bath_";

// price = 3 income + room_a - room_b + 4 [Graz] + noise. One town in eight is of 200 that hardly anybody lives in; void
// is empty; income has a long tail.
std::string houses(int count) {
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal;
  std::ostringstream text;
  text << "income," << kLong << "a," << kLong << "b,town,void,zero,price,sold\n";
  for (int i = 0; i < count; ++i) {
    const double income = std::exp(1.5 * normal(random)), a = normal(random), b = normal(random);
    const bool graz = i % 8 < 4;
    const double price = 3 * income + a - b + (graz ? 4 : 0) + normal(random);
    text << income << ',' << a << ',' << b << ',';
    if (i % 8 == 7)
      text << "village" << random() % 200;
    else
      text << (graz ? "Graz" : "Linz");
    text << ",,0," << price << ',' << (price > 7 ? "yes" : "no") << '\n';
  }
  return text.str();
}

std::string refusal(const std::string& arguments, int code = 2) {
  const Outcome outcome = tailcoat_program(arguments);
  EXPECT_EQ(outcome.code, code) << arguments << outcome.err;
  EXPECT_EQ(outcome.out, "") << arguments;
  return outcome.err;
}

void expect_says(const std::string& text, const std::string& words) {
  EXPECT_NE(text.find(words), std::string::npos) << words << " is not in: " << text;
}

TEST(Messages, ValuesThatAreNoNumbersAreSaidToBeSo) {
  expect_says(refusal("fit rows.csv --target y --epsilon abc"),
              "tailcoat: --epsilon abc is no number; see tailcoat fit --help");
}

TEST(Messages, OutputsAreFiles) {
  const Scratch scratch;
  const std::string data = scratch.file("rows.csv", houses(50));
  expect_says(refusal("fit " + data + " --target price --categorical town --epsilon 1 --model -"),
              "an output of this run is a file, and - is none");
}

TEST(Messages, HelpHasTheExitCodes) {
  const Outcome outcome = tailcoat_program("--help");
  EXPECT_EQ(outcome.code, 0);
  expect_says(outcome.out, "Exit codes: 0 done, 1 the run failed, 2 bad usage, 3 refused");
}

TEST(Messages, UnknownOptionsAreShownAsTypedWithWhatMayBeMeant) {
  expect_says(
      refusal("fit rows.csv --target y --eps 1 --frobnicate 3"),
      "tailcoat: --eps 1 --frobnicate 3 were not expected (did you mean --epsilon by --eps?); see tailcoat fit");
  expect_says(refusal("fit rows.csv --taget=y"), "--taget=y was not expected (did you mean --target by --taget=y?)");
  expect_says(refusal("evaluate rows.csv --modle m.json"), "did you mean --model by --modle?");
  expect_says(refusal("pedict rows.csv"), "did you mean predict by pedict?");
  EXPECT_EQ(refusal("fit rows.csv more").find("did you mean"), std::string::npos);
}

TEST(Messages, ColumnsThatAreNotThereOrHoldTextsComeWithWhatToType) {
  const Scratch scratch;
  const std::string fit = "fit " + scratch.file("h.csv", houses(50)) + " --target price --epsilon 1";
  expect_says(refusal(fit + " --categorical toun"), "--categorical: there is no column 'toun'. Did you mean 'town'?");
  expect_says(refusal(fit + " --bounds incom=0:1"), "--bounds: there is no column 'incom'. Did you mean 'income'?");
  const std::string texts = refusal(fit + " --drop sold", 1);
  expect_says(texts, "column 'town'");
  expect_says(texts, "if it holds texts, add --categorical 'town'");
  const std::string two =
      "fit " + scratch.file("t.csv", "a,b,c,y\n1,x,2,3\n2,,2,4\n3,x,z,5\n") + " --target y --epsilon 1";
  expect_says(refusal(two, 1), "'x' in line 2");
  expect_says(refusal(two, 1), "if these hold texts, add --categorical 'b,c'");
}

// Whether a target is made of classes is data: it is looked at privately, in Python as well.
TEST(Messages, ATargetOfNumbersIsNoClassAndTheRefusalSaysHowToGoOn) {
  const Scratch scratch;
  const std::string said = refusal(
      "fit " + scratch.file("h.csv", houses(3000)) + " --target price --features income --loss logistic --epsilon 1",
      1);
  expect_says(said, "no class of column 'price' is in more than");
  expect_says(said, "--loss squared");
  expect_says(said, "--classes a,b");
  expect_says(said, "the whole budget, epsilon = 1, delta = 1e-06, counts as spent");
}

class Told : public testing::Test {
 protected:
  const Scratch scratch;
  const std::string fit = "fit " + scratch.file("h.csv", houses(20000)) +
                          " --target price --categorical town --drop sold --epsilon 2 --seed 1 --report " +
                          scratch.path("report.html");
};

TEST_F(Told, NotesSayWhatWasLeftOutInAllOutputs) {
  const Outcome text = tailcoat_program(fit);
  const json figures = json::parse(tailcoat_program(fit + " --json").out, nullptr, false);
  const std::string notes = figures["notes"].dump(), page = scratch.text("report.html");
  for (const char* note : {"town: texts in fewer than about ", " hold such a text, or none: ",
                           "void: next to no cell is there", "zero: nothing but zeros is visible"}) {
    expect_says(notes, note);
    expect_says(text.out, note);
    expect_says(page, note);
  }
  double others = 0;
  ASSERT_EQ(std::sscanf(notes.c_str() + notes.find("; about "), "; about %lf rows", &others), 1) << notes;
  EXPECT_NEAR(others, 2500, 300);
}

TEST_F(Told, FeaturesAreCountedAlikeInTheTableAndInTheReport) {
  const std::string text = tailcoat_program(fit).out;
  const std::size_t at = text.find(" rows, ");
  ASSERT_NE(at, std::string::npos) << text;
  const int features = std::atoi(text.c_str() + at + 7);
  expect_says(scratch.text("report.html"), "<dt>features</dt><dd>" + std::to_string(features) + "</dd>");
  expect_says(text, "reference");  // a level that is counted in neither
}

TEST_F(Told, TheTableHasNamesInFullAndNoRiddles) {
  const std::string text = tailcoat_program(fit).out;
  for (const char* end : {"a", "b"}) expect_says(text, std::string("  ") + kLong + end + "\n");
  EXPECT_EQ(text.find("..."), std::string::npos) << text;
  expect_says(text, "income beyond ");
  expect_says(text, "\"x beyond a\", or \"a to b\", is the slope of x further out");
  for (const char* riddle : {"octaves", "closer look", "standardised"})
    EXPECT_EQ(text.find(riddle), std::string::npos) << riddle;
  EXPECT_EQ(text.find(" mu,"), text.rfind(" mu,")) << "mu is explained once";
  const std::string plain = tailcoat_program("fit " + scratch.path("h.csv") +
                                             " --target price --features town --categorical town --epsilon 2 --seed 1")
                                .out;
  EXPECT_EQ(plain.find("beyond"), std::string::npos) << "nothing to explain";
}

// y = |x - 4| + noise.
std::string angle(int count) {
  std::mt19937_64 random(6);
  std::normal_distribution<double> normal;
  std::ostringstream text;
  text << "x,y\n";
  for (int i = 0; i < count; ++i) {
    const double x = 4 + normal(random);
    text << x << ',' << std::abs(x - 4) + 0.5 * normal(random) << '\n';
  }
  return text.str();
}

TEST(Messages, BothSidesOfABendAreNamedAndExplained) {
  const Scratch scratch;
  const std::string fit = "fit " + scratch.file("a.csv", angle(20000)) + " --target y --epsilon 1 --seed 1";
  const Outcome bent = tailcoat_program(fit + " --report " + scratch.path("report.html"));
  ASSERT_EQ(bent.code, 0) << bent.err;
  const std::string explained = "\"x below c\" and \"x above c\" are the slopes of x on either side of c";
  for (const std::string& words : {std::string("  x below "), std::string("  x above "), explained})
    expect_says(bent.out, words);
  for (const char* words : {"<bdi>x</bdi> below ", "<bdi>x</bdi> above "})
    expect_says(scratch.text("report.html"), words);
  const json figures = json::parse(tailcoat_program(fit + " --json").out, nullptr, false);
  ASSERT_EQ(figures["coefficients"].size(), 2u) << figures["coefficients"];
  for (const auto& [name, value] : figures["coefficients"].items())
    EXPECT_NEAR(value.get<double>(), name.starts_with("x below ") ? -1 : 1, 0.2) << name;
  const Outcome straight = tailcoat_program(fit + " --straight");
  ASSERT_EQ(straight.code, 0) << straight.err;
  for (const std::string& words :
       {std::string("x below "), std::string("x above "), explained, std::string("where numbers bend")})
    EXPECT_EQ(straight.out.find(words), std::string::npos) << words;
  const json one = json::parse(tailcoat_program(fit + " --straight --json").out, nullptr, false);
  EXPECT_EQ(one["coefficients"].size(), 1u);
  EXPECT_TRUE(one["coefficients"].contains("x")) << one["coefficients"];
}

// y in proportion to e^(a + b).
std::string in_proportion(int rows) {
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal;
  std::ostringstream text;
  text << "a,b,y\n";
  for (int i = 0; i < rows; ++i) {
    const double a = normal(random), b = normal(random);
    text << a << ',' << b << ',' << 100 * std::exp(0.5 * (a + b) + 0.1 * normal(random)) << '\n';
  }
  return text.str();
}

TEST(Messages, ACurveIsNamedAndExplained) {
  const Scratch scratch;
  const std::string fit = "fit " + scratch.file("a.csv", in_proportion(20000)) + " --target y --epsilon 1 --seed 1";
  const Outcome curved = tailcoat_program(fit + " --model " + scratch.path("m.json"));
  ASSERT_EQ(curved.code, 0) << curved.err;
  expect_says(curved.out, "These are averages: the model has a curve, as effects were seen to grow");
  EXPECT_EQ(json::parse(scratch.text("m.json"))["schema"], "tailcoat-model/2");
  const json figures = json::parse(tailcoat_program(fit + " --json").out, nullptr, false);
  EXPECT_GT(figures["curve"]["above"].get<double>(), 1.2) << figures["curve"];
  EXPECT_TRUE(json::parse(tailcoat_program(fit + " --straight --json").out, nullptr, false)["curve"].is_null());
}

TEST(Messages, StraightIsForTheAdaptiveFit) {
  const Scratch scratch;
  const std::string fit = "fit " + scratch.file("a.csv", angle(50)) + " --target y --epsilon 1";
  const std::string theorem = " --algorithm implicit-glm --moments 3,1,2 --diameter 2";
  expect_says(refusal(fit + theorem + " --straight"), "--straight is for algorithm adaptive");
  expect_says(refusal(fit + theorem + " --diagnose"), "--diagnose is for algorithm adaptive");
}

TEST(Messages, GivenLevelsThatMissManyRowsAreNoted) {
  const Scratch scratch;
  const Outcome outcome = tailcoat_program("fit " + scratch.file("h.csv", houses(20000)) +
                                           " --target price --features income,town --categorical town=Graz,Linz"
                                           " --epsilon 2 --seed 1");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  expect_says(outcome.out, "rows hold a text that is not told apart, or none: \"town is other\"");
}

TEST(Messages, ControlCharactersOfNamesDoNotReachTheTerminal) {
  const Scratch scratch;
  std::string text = "a\x1b[31m,y\n";
  for (int i = 0; i < 3000; ++i) text += "0," + std::to_string(i % 7) + "\n";
  const Outcome outcome = tailcoat_program("fit " + scratch.file("c.csv", text) + " --target y --epsilon 2 --seed 1");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out.find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace tailcoat
