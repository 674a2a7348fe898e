#include "tailcoat/data/column.hpp"

#include <gtest/gtest.h>

namespace tailcoat {
namespace {

std::vector<Column> named(std::initializer_list<std::string> names) {
  std::vector<Column> columns;
  for (const std::string& name : names) columns.push_back({.name = name});
  return columns;
}

TEST(Column, IsFoundByItsExactName) {
  const auto columns = named({"age", "Age", "price"});
  EXPECT_EQ(*find_column(columns, "Age"), 1u);
  EXPECT_FALSE(find_column(columns, "AGE").ok());
}

TEST(Column, UnknownNameIsAnsweredWithTheNearestAndAllNames) {
  const auto columns = named({"median_income", "price", "ocean_proximity"});
  const auto result = find_column(columns, "median_imcome");
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().kind, ErrorKind::usage);
  EXPECT_EQ(result.error().message,
            "there is no column 'median_imcome'. Did you mean 'median_income'? "
            "The columns are 'median_income', 'price', 'ocean_proximity'");
  EXPECT_NE(find_column(columns, "PRICE").error().message.find("Did you mean 'price'?"), std::string::npos);
  EXPECT_EQ(find_column(columns, "zzzzzzz").error().message.find("Did you mean"), std::string::npos);
}

TEST(Column, LongListsAreCut) {
  std::vector<Column> columns;
  for (int i = 0; i < 1000; ++i) columns.push_back({.name = "column" + std::to_string(i)});
  const std::string message = find_column(columns, "nothing").error().message;
  EXPECT_LT(message.size(), 1000u);
  EXPECT_NE(message.find("and 970 more"), std::string::npos);
}

TEST(Column, SeveralComeInTheOrderAskedForAndOnlyOnce) {
  const auto columns = named({"a", "b", "c"});
  EXPECT_EQ(*find_columns(columns, std::vector<std::string>{"c", "a"}), (std::vector<std::size_t>{2, 0}));
  EXPECT_EQ(find_columns(columns, std::vector<std::string>{"c", "c"}).error().message, "column 'c' is named twice");
  EXPECT_FALSE(find_columns(columns, std::vector<std::string>{"a", "d"}).ok());
  EXPECT_EQ(*find_columns_or_all(columns, {}), (std::vector<std::size_t>{0, 1, 2}));
}

TEST(Column, NamesThatCannotServeAreRefused) {
  EXPECT_TRUE(check_columns(named({"a", "A", " a"})).ok());
  EXPECT_FALSE(check_columns({}).ok());
  EXPECT_FALSE(check_columns(named({"a", ""})).ok());
  EXPECT_EQ(check_columns(named({"a", "b", "a"})).error().message, "two columns are called 'a'; names must differ");
  EXPECT_FALSE(check_columns(named({"caf\xe9"})).ok());
  EXPECT_FALSE(check_columns(named({std::string("a\0", 2)})).ok());
  EXPECT_FALSE(check_columns(std::vector<Column>(kMaxColumns + 1)).ok());
}

}  // namespace
}  // namespace tailcoat
