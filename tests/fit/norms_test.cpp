#include "tailcoat/fit/norms.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "fitting.hpp"

namespace tailcoat {
namespace {

Magnitudes magnitudes_of(const std::vector<double>& values, Gdp cost) {
  Engine engine(1);
  BitSource noise = BitSource::insecure_seeded(7);
  auto meter = *PrivacyMeter::open(ApproxDp{50, 1e-6}, {});
  const auto data = *engine.load_columns(RowsOf<double>{values.data(), values.size(), 1, 1});
  auto found = Magnitudes::release(engine, data, Magnitudes::Signs::both, "values", cost, {meter, noise});
  EXPECT_TRUE(found.ok()) << found.error().message;
  return *found;
}

TEST(Magnitudes, SayWhereTheRowsAre) {
  std::vector<double> values(10000, 1.2);
  for (std::size_t i = 0; i < 2000; ++i) values[i] = -40;
  const Magnitudes seen = magnitudes_of(values, Gdp{5});
  EXPECT_NEAR(seen.rows(), 10000, 20);
  EXPECT_NEAR(seen.rows_beyond(10), 2000, 10);
  EXPECT_NEAR(seen.rows_within(10), 8000, 10);
  EXPECT_GT(seen.median(), 1);
  EXPECT_LT(seen.median(), 1.5);
  EXPECT_GT(seen.quantile(0.9), 40);
  EXPECT_NEAR(seen.square_sum(10), 8000 * 1.2 * 1.2 + 2000 * 100, 3000);
}

TEST(Magnitudes, TheBestLimitIsWiderWhereNoiseIsLess) {
  std::vector<double> values(10000, 1);
  for (std::size_t i = 0; i < 500; ++i) values[i] = 100;
  const Magnitudes seen = magnitudes_of(values, Gdp{5});
  EXPECT_GT(seen.best_limit(10000, 1e-4), 64);
  EXPECT_LT(seen.best_limit(10000, 10), 2);
}

TEST(Magnitudes, NoiseAloneIsNothing) { EXPECT_TRUE(magnitudes_of(std::vector<double>(50, 0.0), Gdp{0.2}).empty()); }

}  // namespace
}  // namespace tailcoat
