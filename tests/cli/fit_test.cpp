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

// y = 3 + 2 a + 5 [city is Graz] + noise; one b in ten is missing; `bad` is no number; label is yes where y > 4.
std::string rows(int count) {
  std::mt19937_64 random(11);
  std::normal_distribution<double> normal;
  std::ostringstream text;
  text << "a,b,city,bad,years,claims,label,y\n";
  for (int i = 0; i < count; ++i) {
    const double a = normal(random), b = normal(random);
    const bool graz = random() % 2 == 0;
    const double y = 3 + 2 * a + (graz ? 5 : 0) + normal(random);
    text << a << ',' << (i % 10 == 0 ? "" : std::to_string(b)) << ',' << (graz ? "Graz" : "Linz") << ",?!," << 1 + i % 3
         << ',' << random() % 3 << ',' << (y > 4 ? "yes" : "no") << ',' << y << '\n';
  }
  return text.str();
}

constexpr const char* kUsual = " --target y --features a,b,city --categorical city=Graz,Linz --epsilon 2 --seed 1";

void expect_error(int code, const std::string& arguments, const std::string& said) {
  for (const char* flag : {"", " --json"}) {
    const Outcome outcome = tailcoat_program("fit " + arguments + flag);
    EXPECT_EQ(outcome.code, code) << arguments << outcome.err;
    EXPECT_EQ(outcome.out, "") << arguments;
    EXPECT_NE(outcome.err.find(said), std::string::npos) << arguments << ": " << outcome.err;
  }
}

json fitted(const std::string& arguments) {
  const Outcome outcome = tailcoat_program("fit --json " + arguments);
  EXPECT_EQ(outcome.code, 0) << arguments << outcome.err;
  return json::parse(outcome.out, nullptr, false);
}

TEST(Fit, PrintsCoefficientsIntervalsAndPrivacy) {
  const Scratch scratch;
  const json fit = fitted(scratch.file("rows.csv", rows(5000)) + kUsual + " --model " + scratch.path("m.json"));
  EXPECT_EQ(fit["schema"], "tailcoat-fit/1");
  EXPECT_EQ(fit["rows"], 5000);
  for (const char* name : {"a", "b", "city=Graz", "city=Linz"}) {
    EXPECT_TRUE(fit["coefficients"].contains(name)) << name << fit["coefficients"];
    EXPECT_EQ(fit["intervals"][name].size(), 2u) << name;
  }
  EXPECT_TRUE(fit["intercept"].is_number());
  EXPECT_EQ(fit["estimates"].size(), fit["coefficients"].size());
  EXPECT_EQ(fit["privacy"]["epsilon"], 2.0);
  EXPECT_EQ(fit["privacy"]["delta"], 1e-6);
  EXPECT_GT(fit["privacy"]["mu"].get<double>(), 0);
  EXPECT_LE(fit["privacy"]["mu_spent"].get<double>(), fit["privacy"]["mu"].get<double>());
  EXPECT_EQ(fit["privacy"]["secure"], false);
  EXPECT_GT(fit["privacy"]["releases"].size(), 0u);
  for (const char* field : {"work", "notes", "limits"}) EXPECT_TRUE(fit.contains(field)) << field;
  const json model = json::parse(scratch.text("m.json"), nullptr, false);
  EXPECT_EQ(model["schema"], "tailcoat-model/1");
  EXPECT_EQ(model["rows"], 5000);
  EXPECT_EQ(scratch.files(), 2u);
}

TEST(Fit, TheModelPredictsAndIsEvaluated) {
  const Scratch scratch;
  const std::string data = scratch.file("rows.csv", rows(20000)), model = scratch.path("m.json");
  fitted(data + kUsual + " --model " + model);
  const Outcome evaluated = tailcoat_program("evaluate --json " + data + " --model " + model);
  ASSERT_EQ(evaluated.code, 0) << evaluated.err;
  EXPECT_GT(json::parse(evaluated.out)["metrics"]["r2"].get<double>(), 0.85);  // the truth has 0.91
  const Outcome predicted = tailcoat_program("predict " + data + " --model " + model);
  EXPECT_EQ(predicted.code, 0) << predicted.err;
  EXPECT_EQ(std::ranges::count(predicted.out, '\n'), 20001);
}

TEST(Fit, SeedsDecideWhateverTheThreads) {
  const Scratch scratch;
  const std::string data = scratch.file("rows.csv", rows(3000));
  const std::string one = tailcoat_program("fit --json " + data + kUsual + " --threads 1").out;
  EXPECT_EQ(one, tailcoat_program("fit --json " + data + kUsual + " --threads 2").out);
  const Outcome seeded = tailcoat_program("fit " + data + kUsual);
  EXPECT_NE(seeded.err.find("warning: the noise comes from a seed"), std::string::npos);
  EXPECT_NE(seeded.out.find("not private"), std::string::npos);
  const std::string secure = data + " --target y --features a --epsilon 1 --json";
  EXPECT_NE(tailcoat_program("fit " + secure).out, tailcoat_program("fit " + secure).out);
}

TEST(Fit, TextFitsAHundredColumns) {
  const Scratch scratch;
  const Outcome outcome = tailcoat_program("fit " + scratch.file("rows.csv", rows(3000)) + kUsual);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  for (const char* part : {"Asked", "Done", "Coefficients", "Budget", "What limits accuracy", "(intercept)"})
    EXPECT_NE(outcome.out.find(part), std::string::npos) << part;
  std::istringstream lines(outcome.out);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("Note")) {
      EXPECT_LE(line.size(), 100u) << line;
    }
  }
}

TEST(Fit, EveryLoss) {
  const Scratch scratch;
  const std::string data = scratch.file("rows.csv", rows(4000)) + " --epsilon 2 --seed 1 --features a ";
  for (const char* loss : {"squared", "huber", "absolute", "quantile:0.9"})
    EXPECT_EQ(fitted(data + "--target y --loss " + loss)["target"], "y") << loss;
  EXPECT_EQ(fitted(data + "--target claims --loss poisson --exposure years")["loss"], "poisson");
  for (const char* loss : {"logistic", "hinge"})
    EXPECT_EQ(fitted(data + "--target label --classes no,yes --loss " + loss)["classes"], json({"no", "yes"})) << loss;
  const json mean = fitted(scratch.path("rows.csv") + " --target y --loss mean --epsilon 2 --seed 1");
  EXPECT_NEAR(mean["intercept"].get<double>(), 5.5, 0.5);
  EXPECT_EQ(mean["coefficients"].size(), 0u);
}

TEST(Fit, FindsLevelsAndMarksMissingCells) {
  const Scratch scratch;
  const json fit = fitted(scratch.file("rows.csv", rows(5000)) +
                          " --target y --features a,b,city --categorical city --missing-indicator b"
                          " --bounds a=-5:5 --bounds b=-5:5 --epsilon 2 --seed 1");
  EXPECT_TRUE(fit["coefficients"].contains("city=Graz")) << fit["coefficients"];
  EXPECT_TRUE(fit["coefficients"].contains("b is missing")) << fit["coefficients"];
}

TEST(Fit, TheReceiptNamesColumnsWhoseLevelsWereFoundOrCounted) {
  const Scratch scratch;
  const std::string data = scratch.file("rows.csv", rows(5000)) + " --target y --features a,city --epsilon 2 --seed 1 ";
  for (const auto& [option, what] : {std::pair{"--categorical city", "frequent levels, 'city'"},
                                     std::pair{"--categorical city=Graz,Linz", "counts of levels, 'city'"}}) {
    const json fit = fitted(data + option);
    EXPECT_TRUE(std::ranges::any_of(fit["privacy"]["releases"], [&](const json& r) { return r["what"] == what; }))
        << fit["privacy"]["releases"];
  }
}

// Five blocks at 100 % each are not 500 %.
TEST(Fit, TheTableSaysThatBlocksOfRowsShareAPrice) {
  const Scratch scratch;
  const Outcome outcome = tailcoat_program(
      "fit " + scratch.file("rows.csv", rows(20000)) +
      " --target y --features a --epsilon 2 --seed 1 --algorithm implicit-glm --moments 3,9,9 --diameter 4");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("disjoint blocks of rows"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("of its block"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("all blocks together cost the share of the line above"), std::string::npos) << outcome.out;
  const std::string table = outcome.out.substr(outcome.out.find("releases       numbers"));
  EXPECT_EQ(table.find("100.0 %"), table.rfind("100.0 %")) << outcome.out;
}

TEST(Fit, HelpSaysWhichDeltaIsTaken) {
  for (const char* command : {"fit", "evaluate"})
    EXPECT_NE(tailcoat_program(std::string(command) + " --help").out.find("in (0, 0.1]"), std::string::npos) << command;
  EXPECT_NE(tailcoat_program("plan --help").out.find("in [0, 0.1]"), std::string::npos);
  EXPECT_NE(tailcoat_program("account --help").out.find("well below 1/n, in (0, 1)"), std::string::npos);
}

TEST(Fit, PublicKnowledgeSavesBudget) {
  const Scratch scratch;
  const std::string data = scratch.file("rows.csv", rows(5000)), known = scratch.file("public.csv", rows(300));
  const auto for_gradients = [](const json& fit) {
    double squares = 0;
    for (const json& release : fit["privacy"]["releases"])
      if (release["what"].get<std::string>().starts_with("gradient"))
        squares += std::pow(release["mu"].get<double>(), 2);
    return squares / std::pow(fit["privacy"]["mu"].get<double>(), 2);
  };
  // Two of three columns and the target cost up to 0.1 and 0.03; two fifths of that, if one look at them is enough.
  const double usual = for_gradients(fitted(data + kUsual));
  for (const std::string& knowledge :
       {" --public " + known, std::string(" --scale a=0:1 --scale b=0:1 --scale y=5:3")}) {
    const double saved = for_gradients(fitted(data + kUsual + knowledge)) - usual;
    EXPECT_GT(saved, 0.4 * 0.13 - 1e-6) << knowledge;
    EXPECT_LT(saved, 0.13 + 1e-6) << knowledge;
  }
  expect_error(2, data + kUsual + " --scale a=0:-1", "scale 'a=0:-1' are not column=centre:spread");
  expect_error(2, data + kUsual + " --scale city=0:1", "which holds texts");
  expect_error(2, data + kUsual + " --public " + scratch.file("other.csv", "z\n1\n"), "none of the columns");
  expect_error(1, data + kUsual + " --public " + scratch.path("none.csv"), "none.csv");
}

// A theorem that promises no less than the centre of the domain has is not said to have certified a number.
TEST(Fit, ATrivialBoundIsCalledThat) {
  const Scratch scratch;
  const std::string arguments = scratch.file("rows.csv", rows(500)) + kUsual +
                                " --algorithm kamath-liu-zhang --moments 4,8,12 --diameter 20 --max-passes 3";
  const json certified = fitted(arguments)["certified"];
  EXPECT_EQ(certified["trivial"], true);
  EXPECT_EQ(certified["excess_risk"], 80.0) << "G2 times the radius";
  const std::string said = tailcoat_program("fit " + arguments).out;
  EXPECT_NE(said.find("Certified: nothing beyond the trivial bound 80"), std::string::npos) << said;
}

// As plan has it: far below 1 / rows.
TEST(Fit, TheDefaultDeltaOfATheoremIsThatOfPlan) {
  const Scratch scratch;
  std::string many = "y\n";
  for (int i = 0; i < 200'000; ++i) many += "1\n";
  const std::string data = scratch.file("many.csv", many);
  const std::string mean = data + " --target y --loss mean --epsilon 1 --seed 1";
  const json fit = fitted(mean + " --algorithm implicit-glm --moments 4,8,12 --diameter 2");
  EXPECT_DOUBLE_EQ(fit["privacy"]["delta"].get<double>(), 1 / (10 * 200'000.0));
  EXPECT_EQ(fitted(mean)["privacy"]["delta"], 1e-6);
}

TEST(Fit, ByATheorem) {
  const Scratch scratch;
  const std::string data = scratch.file("rows.csv", rows(5000)), model = scratch.path("m.json");
  const std::string theorem = " --algorithm implicit-glm --moments 4,8,12 --diameter 20";
  const json fit = fitted(data + kUsual + theorem + " --model " + model);
  EXPECT_GT(fit["certified"]["excess_risk"].get<double>(), 0);
  EXPECT_TRUE(fit["intervals"]["a"][0].is_null());
  EXPECT_EQ(tailcoat_program("predict " + data + " --model " + model).code, 0);
  const std::string said = tailcoat_program("fit " + data + kUsual + theorem).out;
  EXPECT_NE(said.find("Certified: excess risk"), std::string::npos) << said;
  EXPECT_EQ(fit["certified"]["trivial"], false);
  EXPECT_EQ(fit["privacy"]["delta"], 1e-6);
  expect_error(2, data + kUsual + " --no-intercept", "adaptive needs none of them");
  expect_error(2, data + kUsual + " --strong-convexity 1", "adaptive needs none of them");
  expect_error(2, data + kUsual + theorem + " --strong-convexity -1", "strong-convexity = -1");
  expect_error(3, data + kUsual + " --algorithm known-lipschitz --moments 4,8,12 --diameter 20 --strong-convexity 0.5",
               "cannot hold for that of a generalised linear model");
  expect_error(3, data + kUsual + theorem + " --strong-convexity 1", "cannot hold on a domain of diameter 20");
  expect_error(2, data + kUsual + " --algorithm nonsense", "there is no algorithm 'nonsense'");
  expect_error(2, data + kUsual + " --moments 4,8,12", "adaptive needs none of them");
  expect_error(2, data + kUsual + " --algorithm implicit-glm --diameter 20", "give --moments");
  expect_error(2, data + kUsual + " --algorithm implicit-glm --moments 4,8,12", "diameter");
  expect_error(3, data + kUsual + " --algorithm one-pass-glm --moments 4,8,12 --diameter 20", "smooth");
}

TEST(Fit, RefusesBadOptions) {
  const Scratch scratch;
  const std::string data = scratch.file("rows.csv", rows(50));
  const std::string y = data + " --target y --features a --epsilon 1";
  expect_error(2, "--target y --epsilon 1", "DATA");
  expect_error(2, data + " --epsilon 1", "give --target");
  expect_error(2, data + " --target y", "give --epsilon");
  expect_error(2, data + " --target y --epsilon 0", "epsilon = 0");
  expect_error(2, data + " --target y --epsilon -2", "epsilon = -2");
  expect_error(2, data + " --target y --epsilon nan", "epsilon = nan");
  expect_error(2, y + " --delta 0", "delta = 0");
  expect_error(3, y + " --delta 0.11", "delta = 0.11 is above 0.1");
  expect_error(2, y + " --loss cubic", "unknown loss 'cubic'");
  expect_error(2, y + " --loss linear", "--loss mean");
  expect_error(2, y + " --drop b", "exclude each other");
  expect_error(2, y + " --classes a,b", "--classes are for logistic and hinge");
  expect_error(2, y + " --loss logistic --classes yes", "one class");
  expect_error(2, y + " --loss logistic --classes yes,yes", "'yes' twice");
  expect_error(2, y + " --exposure years", "--exposure is for poisson");
  expect_error(2, y + " --confidence 1", "confidence = 1");
  expect_error(2, y + " --threads 0.5", "not a whole number");
  for (const char* bounds : {"a", "a=1", "a=2:1", "a=1:1", "a=x:2", "a=0:inf", "=1:2:3"})
    expect_error(2, y + " --bounds " + bounds, "low below high");
  expect_error(2, y + " --bounds a=0:1 --bounds a=0:2", "'a' twice");
  expect_error(2, y + " --categorical a=x --categorical a", "'a' twice");
  expect_error(2, y + " --categorical a=,x", "empty name");
}

TEST(Fit, RefusesColumnsThatDoNotFit) {
  const Scratch scratch;
  const std::string data = scratch.file("rows.csv", rows(50)) + " --epsilon 1";
  expect_error(2, data + " --target yy", "'y'");
  expect_error(2, data + " --target y --features a,aa", "'a'");
  expect_error(2, data + " --target y --drop zzz", "zzz");
  expect_error(2, scratch.file("semicolons.csv", "a;y\n1;2\n") + " --epsilon 1 --target y", "separated by commas");
  expect_error(2, data + " --target y --features a,y", "cannot be a feature");
  expect_error(2, data + " --target y --features a --categorical city=Graz", "is not a feature");
  expect_error(2, data + " --target y --features a --missing-indicator b", "is not a feature");
  expect_error(2, data + " --target y --features a --bounds b=0:1", "is not a feature");
  expect_error(2, data + " --target y --features a,city --categorical city --bounds city=0:1", "holds texts");
  expect_error(2, data + " --target claims --loss poisson --features a --exposure weeks", "'years'");
  expect_error(2, data + " --target claims --loss poisson --features a --exposure claims", "target and exposure");
  expect_error(2, data + " --target y --drop a,b,city,bad,years,claims,label", "no columns are left");
}

TEST(Fit, RefusesFilesThatDoNotFit) {
  const Scratch scratch;
  const std::string rest = " --target y --epsilon 1 --model " + scratch.path("m.json");
  const std::string data = scratch.file("rows.csv", rows(50));
  expect_error(1, scratch.path("none.csv") + rest, "none.csv");
  expect_error(1, scratch.file("empty.csv", "") + rest, "header");
  expect_error(1, scratch.file("header.csv", "a,y\n") + rest, "a header but no rows");
  expect_error(1, scratch.file("one.csv", "a,y\n1,2\n") + rest, "one row");
  expect_error(1, scratch.file("cell.csv", "a,y\n1,2\n1,two\n") + rest, "line 3");
  expect_error(1, scratch.path("cell.csv") + rest, "if the target names classes, add --loss logistic");
  expect_error(1, data + rest, "not private");
  expect_error(1, scratch.file("short.csv", "a,y\n1,2\n1\n") + rest, "line 3");
  expect_error(2, scratch.file("data.xlsx", "") + rest, "not known by its name");
  EXPECT_FALSE(scratch.has("m.json"));
}

TEST(Fit, ReadsOnlyTheColumnsItUses) {
  const Scratch scratch;
  const std::string data = scratch.file("rows.csv", rows(3000)) + " --target y --epsilon 2 --seed 1";
  EXPECT_EQ(fitted(data + " --drop bad,city,label")["rows"], 3000);
  expect_error(1, data + " --drop city,label", "line 2");
}

TEST(Fit, WarnsOfALargeDelta) {
  const Scratch scratch;
  const Outcome outcome = tailcoat_program("fit " + scratch.file("rows.csv", rows(3000)) + kUsual + " --delta 1e-3");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.err.find("warning: delta = 0.001 is above 1 / rows"), std::string::npos) << outcome.err;
}

TEST(Fit, AModelThatCannotBeWrittenLeavesNothing) {
  const Scratch scratch;
  const std::string data = scratch.file("rows.csv", rows(3000)) + kUsual;
  expect_error(1, data + " --model " + scratch.path("none/m.json"), "cannot write");
  const std::string pipe = scratch.pipe("pipe");
  expect_error(1, data + " --model " + pipe, "no regular file");
  EXPECT_TRUE(std::filesystem::is_fifo(pipe));
  expect_error(1, data + " --model " + scratch.path(""), "no regular file");
  EXPECT_EQ(scratch.files(), 2u);
}

TEST(Fit, AFullDiskLeavesNoModelAndSaysThatTheBudgetIsSpent) {
  const Scratch scratch;
  const std::string data = scratch.file("rows.csv", rows(3000)) + kUsual;
  const std::string limited = "ulimit -f 8; trap '' XFSZ; ";  // a file may have 4 KiB: the table has, the model has not
  const Outcome outcome = tailcoat_program("--version > /dev/null; " + limited + "'" TAILCOAT_PROGRAM "' fit " + data +
                                           " --model " + scratch.path("m.json"));
  EXPECT_EQ(outcome.code, 1) << outcome.err;
  EXPECT_NE(outcome.err.find("its budget is spent: its result is on standard output"), std::string::npos)
      << outcome.err;
  EXPECT_NE(outcome.out.find("Coefficients, with 95 % intervals"), std::string::npos) << "what was paid for is lost";
  EXPECT_EQ(scratch.files(), 1u);
}

// dp-sgd has some hundred thousand passes to go when it is asked to stop. On a busy machine it may not have begun after
// a second, and then has nothing to say.
TEST(Fit, AnInterruptStopsAndSaysWhatIsSpent) {
  const Scratch scratch;
  const std::string data = scratch.file("rows.csv", rows(20000));
  const std::string message = "stopped; something was released before that: the whole budget, epsilon = 2";
  for (const char* signal : {"INT", "TERM"}) {
    bool said = false;
    for (int seconds = 1; seconds <= 16 && !said; seconds *= 4) {
      const Outcome outcome = tailcoat_program(std::string("--version > /dev/null; timeout -k 5 -s ") + signal + " " +
                                               std::to_string(seconds) + " '" TAILCOAT_PROGRAM "' fit " + data +
                                               " --target y --features a --epsilon 2 --algorithm dp-sgd --diameter 4 " +
                                               "--moments 3,9,9 --max-passes 1000000");
      EXPECT_EQ(outcome.code, 124) << outcome.err;
      EXPECT_EQ(outcome.out, "");
      said = outcome.err.find(message) != std::string::npos;
    }
    EXPECT_TRUE(said) << signal;
  }
}

TEST(Fit, AFailureAfterTheFirstReleaseSaysWhatIsSpent) {
  const Scratch scratch;
  std::string rows = "a,kind\n";
  for (int i = 0; i < 300; ++i) rows += std::to_string(i) + ",kind " + std::to_string(i) + "\n";
  const std::string fit = scratch.file("all.csv", rows) + " --target kind --loss logistic --epsilon 1";
  expect_error(1, fit, "the whole budget, epsilon = 1, delta = 1e-06, counts as spent");
  expect_error(1, fit, "no class of column 'kind' is in more than");
}

// How many rows there are is public: where that is too few, nothing need be spent to say so.
TEST(Fit, ClassesThatCannotBeFoundAreRefusedBeforeAnythingIsReleased) {
  const Scratch scratch;
  const std::string fit = scratch.file("few.csv", "a,kind\n1,x\n2,x\n3,y\n") + " --target kind --loss logistic";
  const Outcome outcome = tailcoat_program("fit " + fit + " --epsilon 1");
  EXPECT_EQ(outcome.code, 3) << outcome.err;
  EXPECT_NE(outcome.err.find("and there are 3; nothing was released"), std::string::npos) << outcome.err;
  EXPECT_EQ(outcome.err.find("spent"), std::string::npos) << outcome.err;
}

TEST(Fit, DeltaZeroIsPureAndForKnownLipschitzAlone) {
  const Scratch scratch;
  const std::string data = scratch.file("rows.csv", rows(3000));
  const std::string usual = " --target y --features a,b --loss absolute --epsilon 4 --delta 0 --seed 1";
  const std::string theorem = " --moments 4,3,6 --diameter 20";
  const std::string model = scratch.path("m.json"), page = scratch.path("m.html");
  const json fit =
      fitted(data + usual + theorem + " --algorithm known-lipschitz --model " + model + " --report " + page);
  EXPECT_EQ(fit["privacy"]["epsilon"], 4.0);
  EXPECT_EQ(fit["privacy"]["delta"], 0.0);
  for (const json& line : fit["privacy"]["releases"]) EXPECT_FALSE(line.contains("mu")) << line;
  EXPECT_EQ(tailcoat_program("predict " + data + " --model " + model).code, 0);
  const Outcome text = tailcoat_program("fit " + data + usual + theorem + " --algorithm known-lipschitz");
  EXPECT_NE(text.out.find("epsilon without delta"), std::string::npos) << text.out;
  EXPECT_EQ(text.out.find("nan"), std::string::npos) << text.out;
  EXPECT_EQ(text.out.find("inf %"), std::string::npos) << text.out;

  expect_error(2, data + usual, "only algorithm known-lipschitz runs without");
  expect_error(3, data + usual + theorem + " --algorithm implicit-glm", "use known-lipschitz");
  const Outcome evaluated = tailcoat_program("evaluate " + data + " --model " + model + " --epsilon 1 --delta 0");
  EXPECT_EQ(evaluated.code, 2);
  EXPECT_NE(evaluated.err.find("delta = 0 is pure epsilon-DP"), std::string::npos) << evaluated.err;
}

}  // namespace
}  // namespace tailcoat
