#include "tailcoat/privacy/receipt_reader.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "receipts.hpp"

namespace tailcoat {
namespace {

using nlohmann::json;

TEST(ReceiptReader, IsReadBackAsItWasWritten) {
  Receipt blocks = sample_receipt();
  blocks.secure = false;
  blocks.blocks_not_joined = 2;
  blocks.lines[0].release.secure_noise = false;
  blocks.lines[1].price.rho = 0.1;
  Receipt in_mu;
  in_mu.gaussian_budget = {0.3};
  for (const Receipt& receipt : {sample_receipt(), blocks, in_mu}) {
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
  json damaged = json::parse(sample_receipt().json());
  damaged["releases"][1]["noise_scale"] = nullptr;
  expect_refused(damaged.dump(), "field 'noise_scale' must be a number");
  damaged = json::parse(sample_receipt().json());
  damaged["releases"][1]["values"] = -1;
  expect_refused(damaged.dump(), "field 'values' must be a whole number");
  damaged["releases"] = 3;
  expect_refused(damaged.dump(), "field 'releases' must be a list");
}

}  // namespace
}  // namespace tailcoat
