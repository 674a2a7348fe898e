#include "tailcoat/data/frame.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace tailcoat {
namespace {

const std::vector<Column> kNames = {{.name = "a"}, {.name = "b"}, {.name = "y"}};

TEST(Frame, OfATableSeesItsCellsWhereTheyAre) {
  auto table = Table::create(kNames, Storage::f32);
  ASSERT_TRUE(table.ok());
  ASSERT_TRUE(table->append(std::vector<double>{1, 2, 3, 4, 5, 6}).ok());
  const Frame frame = frame_of(*table);
  ASSERT_TRUE(check(frame).ok());
  EXPECT_EQ(frame.rows(), 2u);
  EXPECT_EQ(*frame.index_of("y"), 2u);
  EXPECT_FALSE(frame.index_of("z").ok());
  const auto column = std::get<RowsOf<float>>(frame.column(1));
  EXPECT_EQ(column.data, std::get<RowsOf<float>>(table->view()).data + 1);
  EXPECT_EQ(column.row(0)[0], 2);
  EXPECT_EQ(column.row(1)[0], 5);
}

TEST(Frame, HasTheColumnApartLast) {
  const std::vector<double> cells = {1, 2, 0, 3, 4, 0}, y = {7, 8};
  const Frame frame{kNames, RowsOf<double>{cells.data(), 2, 2, 3}, y};
  ASSERT_TRUE(check(frame).ok());
  EXPECT_EQ(std::get<RowsOf<double>>(frame.column(2)).row(1)[0], 8);
  EXPECT_EQ(std::get<RowsOf<double>>(frame.column(1)).row(1)[0], 4);
  EXPECT_TRUE(check_apart(frame, "y").ok());
  EXPECT_FALSE(check_apart(frame, "a").ok());
  EXPECT_TRUE(check_apart({kNames, RowsOf<double>{cells.data(), 2, 3, 3}}, "a").ok());
}

TEST(Frame, RefusesWhatDoesNotMatch) {
  const std::vector<double> cells(6), y(3);
  EXPECT_FALSE(check(Frame{kNames, RowsOf<double>{cells.data(), 3, 2, 2}}).ok());
  EXPECT_FALSE(check(Frame{kNames, RowsOf<double>{cells.data(), 2, 2, 2}, y}).ok());
  EXPECT_FALSE(check(Frame{kNames, RowsOf<double>{cells.data(), 3, 2, 1}, y}).ok());
  EXPECT_FALSE(check(Frame{kNames, RowsOf<double>{nullptr, 3, 2, 2}, y}).ok());
  EXPECT_FALSE(
      check(Frame{{{.name = "a"}, {.name = "a"}, {.name = "y"}}, RowsOf<double>{cells.data(), 3, 2, 2}, y}).ok());
  EXPECT_TRUE(check(Frame{kNames, RowsOf<double>{cells.data(), 3, 2, 2}, y}).ok());
}

TEST(Frame, ALevelIsAWholeNumberBelowTheirNumber) {
  EXPECT_EQ(level_of(0, 3), 0u);
  EXPECT_EQ(level_of(-0.0, 3), 0u);
  EXPECT_EQ(level_of(2, 3), 2u);
  for (const double cell : {3.0, -1.0, 0.5, 1e300, HUGE_VAL, -HUGE_VAL, std::nan("")})
    EXPECT_EQ(level_of(cell, 3), 3u) << cell;
  EXPECT_EQ(level_of(0, 0), 0u);
}

}  // namespace
}  // namespace tailcoat
