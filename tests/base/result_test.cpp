#include "tailcoat/base/result.hpp"

#include <gtest/gtest.h>

#include <memory>

#include "tailcoat/base/checked.hpp"

namespace tailcoat {
namespace {

Result<int> half(int number) {
  if (number % 2 != 0) return usage_error("number = " + std::to_string(number) + " is odd; give an even one");
  return number / 2;
}

Result<int> quarter(int number) {
  TAILCOAT_TRY(once, half(number));
  TAILCOAT_TRY(twice, half(once));
  return twice;
}

Result<void> must_be_even(int number) {
  TAILCOAT_CHECK(half(number));
  return {};
}

TEST(Result, CarriesAValue) {
  EXPECT_TRUE(half(4).ok());
  EXPECT_EQ(*half(4), 2);
  EXPECT_TRUE(must_be_even(4).ok());
}

TEST(Result, CarriesTheFirstErrorThroughTry) {
  const auto result = quarter(6);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().kind, ErrorKind::usage);
  EXPECT_EQ(result.error().message, "number = 3 is odd; give an even one");
  EXPECT_FALSE(must_be_even(3).ok());
}

TEST(Result, HoldsTypesThatOnlyMove) {
  Result<std::unique_ptr<int>> result = std::make_unique<int>(7);
  std::unique_ptr<int> taken = *std::move(result);
  EXPECT_EQ(*taken, 7);
}

TEST(Checked, ReportsOverflowInsteadOfWrapping) {
  EXPECT_EQ(checked_add<std::size_t>(2, 3), 5u);
  EXPECT_EQ(checked_mul<std::size_t>(2, 3), 6u);
  EXPECT_FALSE(checked_add<std::size_t>(SIZE_MAX, 1));
  EXPECT_FALSE(checked_mul<std::size_t>(SIZE_MAX / 2, 3));
  EXPECT_FALSE(checked_mul<std::int64_t>(INT64_MIN, -1));
}

}  // namespace
}  // namespace tailcoat
