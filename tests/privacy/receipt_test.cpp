#include "tailcoat/privacy/receipt.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "receipts.hpp"

namespace tailcoat {
namespace {

using nlohmann::json;

TEST(Receipt, ListsBudgetAndEveryRelease) {
  const json read = json::parse(sample_receipt().json());
  EXPECT_EQ(read["schema"], "tailcoat-receipt/1");
  EXPECT_EQ(read["neighbours"], "replace-one");
  EXPECT_EQ(read["budget"], json({{"epsilon", 1.0}, {"delta", 1e-6}}));
  EXPECT_EQ(read["gaussian_budget"]["mu"], 0.2);
  EXPECT_EQ(read["spent"]["mu"], 0.1);
  EXPECT_EQ(read["secure"], true);
  ASSERT_EQ(read["releases"].size(), 3u);
  EXPECT_EQ(read["releases"][0], json({{"what", "gradient, step 1"},
                                       {"mechanism", "gaussian"},
                                       {"values", 12},
                                       {"sensitivity", 0.5},
                                       {"noise_scale", 5.0},
                                       {"mu", 0.1}}));
  EXPECT_EQ(read["releases"][1]["epsilon"], 0.5);
  EXPECT_EQ(read["releases"][1]["delta"], 1e-7);
  EXPECT_EQ(read["releases"][1]["block"], "2 of 4");
  EXPECT_FALSE(read["releases"][1].contains("steps"));
  EXPECT_EQ(read["releases"][2], json({{"what", "solve"},
                                       {"mechanism", "sampled-gaussian"},
                                       {"block", "1 of 4"},
                                       {"values", 1},
                                       {"sensitivity", 1.0},
                                       {"noise_scale", 1.25},
                                       {"epsilon", 1.0},
                                       {"delta", 1e-6},
                                       {"rate", 0.001},
                                       {"ratio", 0.8},
                                       {"steps", 20000}}));
}

TEST(Receipt, KeepsTheOrderOfItsFields) {
  EXPECT_EQ(sample_receipt().json().substr(0, 75),
            R"({"schema":"tailcoat-receipt/1","neighbours":"replace-one","budget":{"epsilo)");
}

TEST(Receipt, StatesABudgetInMuWithTheDistanceOfTheRandomSource) {
  Receipt receipt;
  receipt.gaussian_budget = {0.3};
  const json read = json::parse(receipt.json());
  EXPECT_EQ(read["budget"], json({{"mu", 0.3}, {"randomness_distance", 0x1p-78}}));
}

TEST(Receipt, StatesAPureBudgetWithTheDistanceOfTheRandomSource) {
  Receipt receipt;
  receipt.budget = {0.5, 0};
  const json read = json::parse(receipt.json());
  EXPECT_EQ(read["budget"], json({{"epsilon", 0.5}, {"delta", 0}, {"randomness_distance", 0x1p-78}}));
}

TEST(Receipt, SurvivesNamesThatAreNotText) {
  Receipt receipt = sample_receipt();
  receipt.lines[0].release.what = "column \xff\xfe \"quoted\"\n";
  EXPECT_TRUE(json::accept(receipt.json()));
}

TEST(Receipt, NeverPrintsANumberThatIsNotFinite) {
  Receipt receipt = sample_receipt();
  receipt.lines[0].release.sensitivity = NAN;
  receipt.lines[0].release.noise_scale = INFINITY;
  receipt.lines[1].price.epsilon = -INFINITY;
  const json read = json::parse(receipt.json());
  EXPECT_TRUE(read["releases"][0]["sensitivity"].is_null());
  EXPECT_TRUE(read["releases"][0]["noise_scale"].is_null());
}

TEST(Receipt, TheSummaryHasTheSameReleases) {
  const Receipt receipt = sample_receipt();
  const json whole = json::parse(receipt.json()), summary = json::parse(receipt.summary());
  EXPECT_EQ(summary["releases"], whole["releases"]);
  EXPECT_EQ(summary["secure"], whole["secure"]);
  EXPECT_EQ(summary["epsilon"], receipt.budget.epsilon);
  EXPECT_EQ(summary["delta"], receipt.budget.delta);
  EXPECT_EQ(summary["mu"], receipt.gaussian_budget.mu);
  EXPECT_EQ(summary["mu_spent"], receipt.gaussian_spent.mu);
}

TEST(Receipt, MarksWhatWasDrawnFromASeed) {
  Receipt receipt = sample_receipt();
  receipt.secure = false;
  receipt.lines[0].release.secure_noise = false;
  const json read = json::parse(receipt.json());
  EXPECT_EQ(read["secure"], false);
  EXPECT_EQ(read["releases"][0]["secure"], false);
  EXPECT_FALSE(read["releases"][1].contains("secure"));
}

}  // namespace
}  // namespace tailcoat
