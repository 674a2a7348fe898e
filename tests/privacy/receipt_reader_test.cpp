#include "tailcoat/privacy/receipt_reader.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace tailcoat {
namespace {

using nlohmann::json;

Receipt sample() {
  Receipt receipt;
  receipt.budget = {1, 1e-6};
  receipt.gaussian_budget = {0.2};
  receipt.gaussian_spent = {0.1};
  receipt.lines.push_back(
      {{.what = "gradient", .mechanism = "gaussian", .values = 12, .noise_scale = 5}, {.mu = 0.1}, ""});
  receipt.lines.push_back({{.what = "maximum", .mechanism = "bounded-laplace", .sensitivity = 1, .noise_scale = 2},
                           {.epsilon = 0.5, .delta = 1e-7},
                           "2 of 4"});
  return receipt;
}

TEST(ReceiptReader, IsReadBackAsItWasWritten) {
  Receipt blocks = sample();
  blocks.secure = false;
  blocks.blocks_not_joined = 2;
  blocks.lines[0].release.secure_noise = false;
  blocks.lines[1].price.rho = 0.1;
  Receipt in_mu;
  in_mu.gaussian_budget = {0.3};
  for (const Receipt& receipt : {sample(), blocks, in_mu}) {
    const auto read = receipt_from_json(receipt.json());
    ASSERT_TRUE(read.ok()) << read.error().message;
    EXPECT_EQ(read->json(), receipt.json());
  }
}

TEST(ReceiptReader, RefusesWhatIsNoReceipt) {
  const auto expect_refused = [](const std::string& text, const std::string& said) {
    const auto read = receipt_from_json(text);
    ASSERT_FALSE(read.ok()) << text;
    EXPECT_NE(read.error().message.find(said), std::string::npos) << read.error().message;
  };
  expect_refused("", "not a JSON object");
  expect_refused("[]", "not a JSON object");
  expect_refused("{}", "field 'schema' is missing");
  expect_refused(R"({"schema":"tailcoat-model/1"})", "field 'schema' must be 'tailcoat-receipt/1'");
  json damaged = json::parse(sample().json());
  damaged["releases"][1]["noise_scale"] = nullptr;
  expect_refused(damaged.dump(), "field 'noise_scale' must be a number");
  damaged = json::parse(sample().json());
  damaged["releases"][1]["values"] = -1;
  expect_refused(damaged.dump(), "field 'values' must be a whole number");
  damaged["releases"] = 3;
  expect_refused(damaged.dump(), "field 'releases' must be a list");
}

}  // namespace
}  // namespace tailcoat
