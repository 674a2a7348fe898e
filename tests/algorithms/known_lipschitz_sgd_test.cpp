#include "tailcoat/algorithms/known_lipschitz_sgd.hpp"

#include <gtest/gtest.h>

#include "linear_data.hpp"

namespace tailcoat {
namespace {

TEST(KnownLipschitzSgd, RefusesWhatItsTheoremDoesNotCover) {
  Setting setting = example(1000);
  setting.strong_convexity = 1;
  EXPECT_FALSE(plan_known_lipschitz_sgd(setting, budget_of(0.1), {}).ok());
  setting = example(1000);
  setting.smoothness = std::numeric_limits<double>::infinity();
  EXPECT_FALSE(plan_known_lipschitz_sgd(setting, budget_of(0.1), {}).ok());
  setting.smoothness = 1e6;
  const auto plan = plan_known_lipschitz_sgd(setting, budget_of(0.1), {.constants = Constants::paper});
  ASSERT_FALSE(plan.ok());
  EXPECT_NE(plan.error().message.find("beta <= "), std::string::npos);
}

// As for one-pass-glm: the engine leaves out a record beyond 1.999 / step.
TEST(KnownLipschitzSgd, RecordsAtThePromisedSmoothnessTakePart) {
  Setting rough = example(1000);
  rough.smoothness = 1e4;
  const double step = plan_known_lipschitz_sgd(rough, Gdp{1}, {})->phases.front().pass.step;
  EXPECT_LT(step * rough.smoothness, 1.9985);
  EXPECT_GT(step * rough.smoothness, 1.9);
}

TEST(KnownLipschitzSgd, PublishedNoiseIsTwiceWhatItMustBe) {
  EXPECT_EQ(plan_known_lipschitz_sgd(example(1000), Gdp{1}, {.constants = Constants::paper})->spent.mu, 0.5);
  EXPECT_EQ(plan_known_lipschitz_sgd(example(1000), Gdp{1}, {})->spent.mu, 1);
}

// A record of the last phase, steep or not, moves the result by no more than the receipt says.
TEST(KnownLipschitzSgd, NeighboursEndWithinTheSensitivityOfTheLastPhase) {
  Engine engine(1);
  double most = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    LinearData one(64, 2, seed), other = one;
    const auto plan = *plan_known_lipschitz_sgd(
        {.rows = 64, .dimension = 2, .diameter = 2, .start_distance = 1, .moments = kLinearMoments, .smoothness = 1},
        Gdp{8}, {});
    const std::size_t row = 64 - plan.phases.back().rows;  // its first
    one.rows[2 * row] = seed % 4 == 0 ? 1e9 : 0.999 * plan.phases.back().pass.clip;
    one.rows[2 * row + 1] = 0;
    other.rows[2 * row] = -one.rows[2 * row], other.rows[2 * row + 1] = 0;
    std::vector<double> ends[2];
    double sensitivity = 0;
    for (const LinearData* made : {&one, &other}) {
      const auto data = *made->load(engine);
      BitSource noise = BitSource::insecure_seeded(seed);
      const auto solution = known_lipschitz_sgd({engine, noise}, {Samples(data, LinearLoss{}), made->domain, 1},
                                                kLinearMoments, Gdp{8}, {});
      ASSERT_TRUE(solution.ok()) << solution.error().message;
      ends[made == &other] = solution->x;
      sensitivity = solution->receipt.lines.back().release.sensitivity;
    }
    const double moved = std::hypot(ends[0][0] - ends[1][0], ends[0][1] - ends[1][1]);
    EXPECT_LE(moved, sensitivity * (1 + 1e-9));
    if (seed % 4 == 0) {
      EXPECT_EQ(moved, 0) << "steeper than C: left out";
    }
    most = std::max(most, moved / sensitivity);
  }
  EXPECT_GT(most, 0.6);
}

}  // namespace
}  // namespace tailcoat
