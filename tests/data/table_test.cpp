#include "tailcoat/data/table.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "files.hpp"

namespace tailcoat {
namespace {

using Names = std::vector<std::string>;

const std::vector<Column> kThree = {
    {.name = "a"}, {.name = "city", .kind = ColumnKind::text, .levels = {"Bern", "Oslo"}}, {.name = "c"}};

Table three_columns(Storage storage) {
  auto table = Table::create(kThree, storage);
  EXPECT_TRUE(table->append(std::vector<double>{1, 0, 1.5, 2, 1, 2.5, 3, kMissing, kMissing}).ok());
  return std::move(*table);
}

class EveryStorage : public testing::TestWithParam<Storage> {};
INSTANTIATE_TEST_SUITE_P(Table, EveryStorage, testing::Values(Storage::f64, Storage::f32));

TEST_P(EveryStorage, HoldsRowsOneAfterTheOther) {
  const Table table = three_columns(GetParam());
  EXPECT_EQ(table.rows(), 3u);
  EXPECT_EQ(row_count(table.view()), 3u);
  EXPECT_EQ(column_count(table.view()), 3u);
  EXPECT_EQ(table.view().index(), GetParam() == Storage::f64 ? 0u : 1u);
  EXPECT_TRUE(same_cells(cells_of(table), {1, 0, 1.5, 2, 1, 2.5, 3, kMissing, kMissing}));
}

TEST_P(EveryStorage, HandsOutAColumn) {
  const Table table = three_columns(GetParam());
  EXPECT_TRUE(same_cells(*table.values("c"), {1.5, 2.5, kMissing}));
  EXPECT_EQ(*table.index_of("c"), 2u);
  EXPECT_FALSE(table.values("d").ok());
}

TEST_P(EveryStorage, SelectsInPlaceInTheOrderAskedFor) {
  Table table = three_columns(GetParam());
  ASSERT_TRUE(table.select(Names{"c", "a"}).ok());
  EXPECT_EQ(names_of(table), (Names{"c", "a"}));
  EXPECT_TRUE(same_cells(cells_of(table), {1.5, 1, 2.5, 2, kMissing, 3}));
}

TEST_P(EveryStorage, DropsInPlace) {
  Table table = three_columns(GetParam());
  ASSERT_TRUE(table.drop(Names{"c"}).ok());
  EXPECT_EQ(names_of(table), (Names{"a", "city"}));
  EXPECT_EQ(table.columns()[1].levels, (Names{"Bern", "Oslo"}));
  EXPECT_TRUE(same_cells(cells_of(table), {1, 0, 2, 1, 3, kMissing}));
  ASSERT_TRUE(table.append(std::vector<double>{4, 1}).ok());
  EXPECT_TRUE(same_cells(cells_of(table), {1, 0, 2, 1, 3, kMissing, 4, 1}));
}

TEST(Table, SelectionsThatCannotBeServedLeaveItAlone) {
  Table table = three_columns(Storage::f64);
  EXPECT_FALSE(table.select(Names{}).ok());
  EXPECT_FALSE(table.select(Names{"a", "zz"}).ok());
  EXPECT_FALSE(table.select(Names{"a", "a"}).ok());
  EXPECT_FALSE(table.drop(Names{"a", "city", "c"}).ok());
  EXPECT_TRUE(table.drop(Names{}).ok());
  EXPECT_TRUE(same_cells(cells_of(table), cells_of(three_columns(Storage::f64))));
}

TEST(Table, RefusesCellsItMustNotHoldAndStaysAsItWas) {
  Table table = three_columns(Storage::f64);
  const double infinity = std::numeric_limits<double>::infinity();
  for (const std::vector<double>& bad : {std::vector<double>{1, 0, infinity},
                                         {-infinity, 0, 1},
                                         {1, 2, 1},    // no third level
                                         {1, 0.5, 1},  // between levels
                                         {1, -1, 1},
                                         {1, 0}}) {
    EXPECT_FALSE(table.append(bad).ok());
  }
  EXPECT_EQ(table.rows(), 3u);
  EXPECT_EQ(table.append(std::vector<double>{1, 0, infinity}).error().message,
            "inf in row 4, column 'c' is not finite; leave it empty if it is missing (not private: this message "
            "depends on the rows)");
}

TEST(Table, HoldsEveryFiniteDouble) {
  Table table = *Table::create({{.name = "a"}}, Storage::f64);
  const std::vector<double> extremes = {1e308, -1.7976931348623157e308, 5e-324,  -5e-324, 0.0,
                                        -0.0,  2.2250738585072014e-308, kMissing};
  ASSERT_TRUE(table.append(extremes).ok());
  EXPECT_TRUE(same_cells(cells_of(table), extremes));
}

TEST(Table, InFloatsWhatIsTooLargeIsRefusedAndWhatIsSmallIsRounded) {
  Table table = *Table::create({{.name = "a"}}, Storage::f32);
  EXPECT_FALSE(table.append(std::vector<double>{1e39}).ok());
  EXPECT_NE(table.append(std::vector<double>{-1e300}).error().message.find("use f64 storage"), std::string::npos);
  ASSERT_TRUE(table.append(std::vector<double>{0.1, 1e-300, kMissing, 16777215}).ok());
  EXPECT_TRUE(same_cells(cells_of(table), {static_cast<double>(0.1f), 0, kMissing, 16777215}));
}

TEST(Table, WithoutRowsIsATable) {
  Table table = *Table::create({{.name = "a"}, {.name = "b"}}, Storage::f64);
  EXPECT_EQ(table.rows(), 0u);
  EXPECT_TRUE(table.values("a")->empty());
  EXPECT_TRUE(table.append({}).ok());
  EXPECT_TRUE(table.select(Names{"b"}).ok());
  EXPECT_EQ(row_count(table.view()), 0u);
  EXPECT_EQ(column_count(table.view()), 1u);
}

TEST(Table, WithoutColumnsIsNone) {
  EXPECT_FALSE(Table::create({}, Storage::f64).ok());
  EXPECT_FALSE(Table::create({{.name = "a"}, {.name = "a"}}, Storage::f64).ok());
}

}  // namespace
}  // namespace tailcoat
