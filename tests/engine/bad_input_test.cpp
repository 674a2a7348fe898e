#include <gtest/gtest.h>

#include <string>

#include "helpers.hpp"

namespace tailcoat {
namespace {

const std::vector<double> kValues = {1, 2, 3, 4, 5, 6}, kLabels = {1, -1};

ClipLattice lattice(std::size_t d = 3) { return *clip_lattice(1, d, Gdp{1}); }

template <class T>
void expect_error(const Result<T>& result, ErrorKind kind, const std::string& part) {
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().kind, kind);
  EXPECT_NE(result.error().message.find(part), std::string::npos) << result.error().message;
}

TEST(BadInput, LoadRefusesRowsThatAreNone) {
  Engine engine(1);
  const double* data = kValues.data();
  expect_error(engine.load(RowsOf<double>{data, 0, 3, 3}), ErrorKind::data, "0 rows");
  expect_error(engine.load(RowsOf<double>{data, 2, 0, 0}), ErrorKind::data, "0 columns");
  expect_error(engine.load(RowsOf<double>{data, 2, 3, 2}), ErrorKind::usage, "stride = 2");
  expect_error(engine.load(RowsOf<float>{nullptr, 2, 3, 3}), ErrorKind::usage, "null");
  expect_error(engine.load(RowsOf<double>{data, std::size_t{1} << 62, 3, 8}), ErrorKind::usage, "more than memory");
  expect_error(engine.load(Rows{}), ErrorKind::data, "0 rows");
}

TEST(BadInput, LoadRefusesLabelsThatDoNotMatch) {
  Engine engine(1);
  expect_error(engine.load(rows_of(kValues, 3), std::vector<double>(3)), ErrorKind::data, "3 labels for 2 rows");
  expect_error(engine.load(rows_of(kValues, 3), {}), ErrorKind::data, "0 labels for 2 rows");
}

TEST(BadInput, GradientSumsRefuseAPointThatIsNone) {
  Engine engine(1);
  const auto data = *engine.load(rows_of(kValues, 3), kLabels);
  const auto sum = [&](std::vector<double> x) {
    return engine.clipped_gradient_sum({data, SquaredLoss{}}, x, lattice());
  };
  expect_error(sum({1, 2}), ErrorKind::usage, "x has 2 numbers");
  expect_error(sum({1, kNaN, 2}), ErrorKind::usage, "x[1] = nan");
  expect_error(sum({1, 2, -kInf}), ErrorKind::usage, "x[2] = -inf");
  EXPECT_TRUE(sum({1e308, 1e308, -1e308}).ok());
}

TEST(BadInput, SumsRefuseALatticeForOtherDataOrPutTogetherByHand) {
  Engine engine(1);
  const auto data = *engine.load(rows_of(kValues, 3));
  expect_error(engine.clipped_row_sum(data, lattice(2)), ErrorKind::usage, "for 2 columns");
  for (const double units : {0.0, -5.0, 0.5, 0x1p51, kInf, kNaN}) {
    ClipLattice made = lattice();
    made.clip_units = units;
    expect_error(engine.clipped_row_sum(data, made), ErrorKind::usage, "clip_units");
  }
  ClipLattice made = lattice();
  made.clip_threshold = kNaN;
  expect_error(engine.clipped_row_sum(data, made), ErrorKind::usage, "clip-threshold");
}

TEST(BadInput, SumsDoNotTrustASensitivityTheyDidNotCompute) {
  Engine engine(1);
  ClipLattice made = lattice();
  made.sensitivity = 1;
  EXPECT_EQ(engine.clipped_row_sum(*engine.load(rows_of(kValues, 3)), made)->sensitivity, lattice().sensitivity);
}

TEST(BadInput, GradientSumsRefuseALossWithAParameterOutOfRange) {
  Engine engine(1);
  const auto data = *engine.load(rows_of(kValues, 3), kLabels);
  EXPECT_FALSE(engine.clipped_gradient_sum({data, HuberLoss{kNaN}}, std::vector<double>(3), lattice()).ok());
}

TEST(BadInput, SampleGradientSumsRefuseNoSamplesAndNoFunction) {
  Engine engine(1);
  const std::vector<double> x(3);
  const SampleGradient nothing = [](std::size_t, auto, auto) {};
  expect_error(engine.clipped_gradient_sum({0, 3, {nothing}}, x, lattice()), ErrorKind::data, "0 samples");
  expect_error(engine.clipped_gradient_sum({1, 3, {}}, x, lattice()), ErrorKind::usage, "empty function");
  expect_error(engine.clipped_gradient_sum({1, 3, {nothing}}, x, lattice(2)), ErrorKind::usage, "columns");
}

TEST(BadInput, CountsRefuseBoundsThatAreNone) {
  Engine engine(1);
  const auto data = *engine.load(rows_of(kValues, 3));
  const std::vector<double> zeros(3), two(2), bad = {0, 0, kNaN};
  expect_error(engine.counts_outside(data, two, zeros, Gdp{1}), ErrorKind::usage, "2 lower bounds for 3 columns");
  expect_error(engine.counts_outside(data, zeros, two, Gdp{1}), ErrorKind::usage, "2 upper bounds for 3 columns");
  expect_error(engine.counts_outside(data, zeros, bad, Gdp{1}), ErrorKind::usage, "upper[2] = nan");
  expect_error(engine.counts_outside(data, zeros, zeros, Gdp{1e-9}), ErrorKind::refused, "mu = 1e-09");
  expect_error(engine.counts_outside(data, zeros, zeros, Gdp{1e30}), ErrorKind::refused, "mu = 1e+30");
  EXPECT_FALSE(engine.counts_outside(data, zeros, zeros, Gdp{kNaN}).ok());
}

TEST(BadInput, CountsAreExactUpToTheLargestWeight) {
  Engine engine(1);
  const std::vector<double> values(70000, 1), zero(1);
  const auto data = *engine.load(rows_of(values, 1));
  const auto sum = engine.counts_outside(data, zero, zero, Gdp{0x1p19});
  ASSERT_TRUE(sum.ok()) << sum.error().message;
  EXPECT_EQ(opened(*sum)[0], 70000 * (std::int64_t{1} << 45));
  expect_error(engine.counts_outside(data, zero, zero, Gdp{0x1p20}), ErrorKind::refused, "give mu between");
}

TEST(BadInput, SecondMomentsRefuseARadiusOrBudgetThatIsNone) {
  Engine engine(1);
  const auto data = *engine.load(rows_of(kValues, 3));
  for (const double radius : {0.0, -1.0, kNaN, kInf, 1e200, 1e-200})
    expect_error(engine.second_moment_sum(data, radius, Gdp{1}), ErrorKind::usage, "radius");
  expect_error(engine.second_moment_sum(data, 1, Gdp{1e-9}), ErrorKind::refused, "mu = 1e-09");
  expect_error(engine.second_moment_sum(data, 1, Gdp{kHuge}), ErrorKind::refused, "mu");
}

// 2^50 units and 4097 rows are more than 62 bits.
TEST(BadInput, SumsThatMightOverflowAreRefused) {
  Engine engine(1);
  const auto large = *clip_lattice(1, 1, Gdp{0x1p25});
  const std::vector<double> few(4000, 1), many(4200, 1);
  EXPECT_TRUE(engine.clipped_row_sum(*engine.load(rows_of(few, 1)), large).ok());
  expect_error(engine.clipped_row_sum(*engine.load(rows_of(many, 1)), large), ErrorKind::refused, "4200 rows");
  expect_error(engine.clipped_gradient_sum({std::size_t{1} << 60, 1, {[](std::size_t, auto, auto) {}}},
                                           std::vector<double>(1), *clip_lattice(1, 1, Gdp{1})),
               ErrorKind::refused, "62 bits");
}

TEST(BadInput, TheLargestSumThatIsAllowedIsExact) {
  Engine engine(1);
  const auto large = *clip_lattice(1, 1, Gdp{0x1p25 * 0.999});
  const std::vector<double> values(4001, 1e9);
  const auto sum = *engine.clipped_row_sum(*engine.load(rows_of(values, 1)), large);
  const auto one = *engine.clipped_row_sum(*engine.load(RowsOf<double>{values.data(), 1, 1, 1}), large);
  EXPECT_EQ(opened(sum)[0], 4001 * opened(one)[0]);
  EXPECT_GT(opened(one)[0], std::int64_t{1} << 49);
}

TEST(BadInput, RowsThatCannotContributeStillCountAsRows) {
  Engine engine(1);
  const std::vector<double> values = {kNaN, 1, kInf, 1, 0, 0, 1e308, 1e308};
  const auto data = *engine.load(rows_of(values, 2));
  EXPECT_EQ(data.rows(), 4u);
  EXPECT_EQ(opened(*engine.clipped_row_sum(data, lattice(2))), std::vector<std::int64_t>(2));
  EXPECT_EQ(opened(*engine.second_moment_sum(data, 1, Gdp{1})), std::vector<std::int64_t>(3));
}

}  // namespace
}  // namespace tailcoat
