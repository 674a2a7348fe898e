#include "tailcoat/data/nearest.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace tailcoat {
namespace {

std::string found(const std::vector<std::string>& names, const std::string& name) {
  const std::string* name_found = nearest(names, name);
  return name_found == nullptr ? "" : *name_found;
}

TEST(Nearest, FindsWhatIsSpeltAlike) {
  EXPECT_EQ(found({"city", "income"}, "citi"), "city");
  EXPECT_EQ(found({"City", "income"}, "city"), "City");
  EXPECT_EQ(found({"x1", "x2"}, "x9"), "x1");
}

TEST(Nearest, ABeginIsNearerThanAnotherSpelling) {
  EXPECT_EQ(found({"exp", "epsilon"}, "eps"), "epsilon");
  EXPECT_EQ(found({"epsilon"}, "ep"), "") << "two letters are the begin of too much";
}

TEST(Nearest, ForWantOfAnythingElseAPartOfANameWillDo) {
  EXPECT_EQ(found({"age", "median_house_value"}, "house_value"), "median_house_value");
  EXPECT_EQ(found({"median_house_value"}, "va"), "");
}

TEST(Nearest, SaysNothingWhereNothingIsNear) {
  EXPECT_EQ(found({"city", "income"}, "frobnicate"), "");
  EXPECT_EQ(found({}, "x"), "");
  EXPECT_EQ(found({std::string(300, 'x')}, std::string(299, 'y')), "");
}

}  // namespace
}  // namespace tailcoat
