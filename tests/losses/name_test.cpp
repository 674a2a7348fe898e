#include <gtest/gtest.h>

#include <string>

#include "reference.hpp"

namespace tailcoat {
namespace {

TEST(LossName, RoundTrips) {
  for (const Loss& loss : reference::all_losses()) {
    const auto parsed = parse_loss(loss_name(loss));
    ASSERT_TRUE(parsed.ok()) << loss_name(loss);
    EXPECT_TRUE(*parsed == loss) << loss_name(loss);
  }
  const Loss awkward = QuantileLoss{0.1 + 0.2};
  EXPECT_TRUE(*parse_loss(loss_name(awkward)) == awkward);
}

TEST(LossName, HasDefaultsWhereOneIsUsual) {
  EXPECT_TRUE(*parse_loss("huber") == Loss{HuberLoss{1.345}});
  EXPECT_TRUE(*parse_loss("huber:1.5") == Loss{HuberLoss{1.5}});
  EXPECT_TRUE(*parse_loss("smoothed-hinge") == Loss{SmoothedHingeLoss{1}});
  EXPECT_TRUE(*parse_loss("quantile:9e-1") == Loss{QuantileLoss{0.9}});
}

TEST(LossName, RefusesWithTheValueAndTheRemedy) {
  const auto expect_refusal = [](std::string_view text, std::string_view value, std::string_view remedy) {
    const auto loss = parse_loss(text);
    ASSERT_FALSE(loss.ok()) << text;
    EXPECT_EQ(loss.error().kind, ErrorKind::usage);
    EXPECT_NE(loss.error().message.find(value), std::string::npos) << loss.error().message;
    EXPECT_NE(loss.error().message.find(remedy), std::string::npos) << loss.error().message;
  };
  expect_refusal("quantile:1.5", "1.5", "above 0 and below 1");
  expect_refusal("quantile:0", "level is 0", "above 0 and below 1");
  expect_refusal("quantile:nan", "nan", "above 0 and below 1");
  expect_refusal("quantile", "level is missing", "'quantile:0.9'");
  expect_refusal("quantile:", "'quantile:'", "'quantile:0.5'");
  expect_refusal("huber:-1", "threshold is -1", "1e-100 to 1e100");
  expect_refusal("huber:inf", "inf", "1e-100 to 1e100");
  expect_refusal("huber:1e400", "'1e400' is not a number", "'huber:0.5'");
  expect_refusal("huber:1.5x", "'1.5x' is not a number", "'huber:0.5'");
  expect_refusal("huber: 1", "' 1' is not a number", "'huber:0.5'");
  expect_refusal("smoothed-hinge:0", "width is 0", "1e-100 to 1e100");
  expect_refusal("squared:2", "'squared:2'", "write 'squared'");
  expect_refusal("nonsense", "'nonsense'", "squared, logistic, poisson");
  expect_refusal("Squared", "'Squared'", "squared, logistic");
  expect_refusal("", "''", "squared, logistic");
  expect_refusal(":", "':'", "squared, logistic");
}

TEST(LossName, QuotesOnlyTheBeginningOfALongText) {
  const auto loss = parse_loss(std::string(1'000'000, 'x'));
  ASSERT_FALSE(loss.ok());
  EXPECT_LT(loss.error().message.size(), 300u);
}

TEST(LossName, ChecksLossesPutTogetherByHand) {
  EXPECT_TRUE(check_loss(SquaredLoss{}).ok());
  EXPECT_FALSE(check_loss(HuberLoss{0}).ok());
  EXPECT_FALSE(check_loss(QuantileLoss{1}).ok());
  EXPECT_FALSE(check_loss(SmoothedHingeLoss{-3}).ok());
}

}  // namespace
}  // namespace tailcoat
