#include "tailcoat/algorithms/known_lipschitz_gd.hpp"

#include <gtest/gtest.h>

#include "linear_data.hpp"
#include "tailcoat/losses/mean.hpp"

namespace tailcoat {
namespace {

// A sample far away is steeper than C everywhere: with the same noise the run ends where it would with a sample whose
// gradient is zero.
TEST(KnownLipschitzGd, LeavesOutSteepSamplesOfALossOfTheUsersOwn) {
  Engine engine(1);
  const LinearData made(512, 4, 1);
  std::vector<double> ends[2];
  for (const bool absurd : {false, true}) {
    const SampleFunctions functions{.gradient = [&](std::size_t row, std::span<const double> x, std::span<double> g) {
      if (row > 0) MeanLoss{}.gradient(x, {&made.rows[row * 4], 4}, g);
      if (row == 0 && absurd) g[0] = x[0] - 1e6;
    }};
    BitSource noise = BitSource::insecure_seeded(1);
    const auto solution = known_lipschitz_gd({engine, noise}, {Samples(512, 4, functions), made.domain, 1},
                                             {.k = 3, .g2 = 2.2, .gk = 3.2}, budget_of(0.5), {.max_passes = 20});
    ASSERT_TRUE(solution.ok()) << solution.error().message;
    ends[absurd] = solution->x;
  }
  EXPECT_EQ(ends[0], ends[1]);
}

TEST(KnownLipschitzGd, RefusesStrongConvexity) {
  Setting setting = example(1000);
  setting.strong_convexity = 1;
  EXPECT_EQ(plan_known_lipschitz_gd(setting, budget_of(0.1), {}).error().kind, ErrorKind::refused);
}

TEST(KnownLipschitzGd, FewerPassesWeakenTheCertificate) {
  const auto few = plan_known_lipschitz_gd(example(4096), budget_of(0.1), {.max_passes = 5});
  const auto many = plan_known_lipschitz_gd(example(4096), budget_of(0.1), {.max_passes = 500});
  EXPECT_GT(few->bound.excess_risk, 2 * many->bound.excess_risk);
  EXPECT_LE(few->work.passes, 5);
  EXPECT_GT(few->work.wanted_passes, 5);
}

// With one step the result is half of the way from the centre to an affine function of one release: a huge record of
// the last phase, pointing either way, moves it by the whole sensitivity.
TEST(KnownLipschitzGd, NeighboursEndAsFarApartAsTheSensitivitySays) {
  Engine engine(1);
  double most = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    LinearData one(64, 2, seed), other = one;
    one.rows[126] = seed % 4 == 0 ? 0.5 : 1e9, other.rows[126] = -one.rows[126];
    one.rows[127] = other.rows[127] = 0;
    std::vector<double> ends[2];
    double sensitivity = 0;
    const auto plan = *plan_known_lipschitz_gd(
        {.rows = 64, .dimension = 2, .diameter = 2, .start_distance = 1, .moments = kLinearMoments}, Gdp{8},
        {.max_passes = 1});
    for (const LinearData* made : {&one, &other}) {
      const auto data = *made->load(engine);
      BitSource noise = BitSource::insecure_seeded(seed);
      const auto solution = known_lipschitz_gd({engine, noise}, {Samples(data, LinearLoss{}), made->domain},
                                               kLinearMoments, Gdp{8}, {.max_passes = 1});
      ASSERT_TRUE(solution.ok()) << solution.error().message;
      ends[made == &other] = solution->x;
      sensitivity = solution->receipt.lines.back().release.sensitivity;
    }
    const ErmPhase& last = plan.phases.back();
    const double moved = std::hypot(ends[0][0] - ends[1][0], ends[0][1] - ends[1][1]);
    const double allowed = sensitivity / (2 * last.weight * static_cast<double>(last.rows));
    EXPECT_LE(moved, allowed * (1 + 1e-9));
    most = std::max(most, moved / allowed);
  }
  EXPECT_GT(most, 0.6);
}

}  // namespace
}  // namespace tailcoat
