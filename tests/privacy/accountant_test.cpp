#include "tailcoat/privacy/accountant.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "reference_values.hpp"
#include "tailcoat/privacy/conversions.hpp"

namespace tailcoat {
namespace {

Accountant accountant_of(const std::vector<Event>& events) {
  Accountant accountant;
  for (const Event& event : events) EXPECT_TRUE(accountant.add(event).ok());
  return accountant;
}

std::vector<Event> repeated(std::size_t count, const Event& event) { return std::vector<Event>(count, event); }

double epsilon_of(const std::vector<Event>& events, double delta) { return *accountant_of(events).epsilon(delta); }
double delta_of(const std::vector<Event>& events, double epsilon) { return *accountant_of(events).delta(epsilon); }

TEST(Accountant, GaussianEventsComposeToTheRootOfTheSumOfSquares) {
  EXPECT_DOUBLE_EQ(epsilon_of({GaussianEvent{0.3}, GaussianEvent{0.4}}, 1e-6), *to_epsilon(Gdp{0.5}, 1e-6));
  EXPECT_NEAR(delta_of(repeated(100, GaussianEvent{0.05}), 1) / *to_delta(Gdp{0.5}, 1), 1, 1e-14);
}

TEST(Accountant, NoEventsCostNothing) {
  EXPECT_EQ(delta_of({}, 0), 0);
  EXPECT_EQ(epsilon_of({}, 1e-6), 0);
}

TEST(Accountant, MixturesMatchTheReferenceFromAbove) {
  for (const auto& row : reference::kMixtures) {
    std::vector<Event> events{GaussianEvent{row.mu}};
    std::size_t failures = 0;
    for (const double epsilon : row.pure) {
      if (epsilon == 0) continue;
      const double failure = failures < row.failures.size() ? row.failures[failures++] : 0;
      if (failure > 0) {
        events.push_back(ApproximateEvent{epsilon, failure});
      } else {
        events.push_back(PureEvent{epsilon});
      }
    }
    const double delta = delta_of(events, row.epsilon);
    EXPECT_GE(delta, row.delta) << row.mu;
    EXPECT_LE(delta, row.delta * (1 + 1e-10)) << row.mu;
    EXPECT_NEAR(epsilon_of(events, row.delta), row.epsilon, 1e-8) << row.mu;
  }
}

TEST(Accountant, PureEventsAddUpAtDeltaZeroAndComposeBetterBeyond) {
  const auto events = repeated(100, PureEvent{0.1});
  EXPECT_EQ(delta_of({PureEvent{0.5}, PureEvent{0.25}}, 0.75), 0);
  EXPECT_GT(delta_of({PureEvent{0.5}, PureEvent{0.25}}, 0.74), 1e-4);
  EXPECT_LT(delta_of(events, 10.000001), 1e-300);
  // 100 x 0.1 at 1e-6, by summing the binomial by hand: the optimal composition of Kairouz, Oh and Viswanath 2015.
  double delta = 0;
  const double epsilon = 4.5;
  for (int j = 0; j <= 100; ++j) {
    const double loss = 0.1 * (2 * j - 100);
    const double log_mass = std::lgamma(101) - std::lgamma(j + 1) - std::lgamma(101 - j) + j * 0.1;
    if (loss > epsilon) delta += std::exp(log_mass - 100 * std::log1p(std::exp(0.1))) * -std::expm1(epsilon - loss);
  }
  EXPECT_NEAR(delta_of(events, epsilon) / delta, 1, 1e-10);
}

TEST(Accountant, ApproximateEventsFailIndependently) {
  const std::vector<Event> events{ApproximateEvent{0.1, 0.25}, ApproximateEvent{0.2, 0.5}};
  EXPECT_GE(delta_of(events, 0.5), 1 - 0.75 * 0.5);
  EXPECT_NEAR(delta_of(events, 0.5), 1 - 0.75 * 0.5, 1e-15);
  const auto refused = accountant_of(events).epsilon(0.6);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().kind, ErrorKind::refused);
}

TEST(Accountant, AnApproximateEventHasExactlyItsGuarantee) {
  const double delta = delta_of({ApproximateEvent{0.7, 1e-5}}, 0.7);
  EXPECT_EQ(delta, 1e-5);
  EXPECT_GT(delta_of({ApproximateEvent{0.7, 1e-5}}, 0.69), 1e-3);
}

TEST(Accountant, AnApproximateEventWithoutEpsilonAddsItsDeltaAlone) {
  EXPECT_GE(delta_of({ApproximateEvent{0, 1e-5}}, 0), 1e-5);
  EXPECT_NEAR(delta_of({ApproximateEvent{0, 1e-5}}, 0), 1e-5, 1e-17);
  const double gaussian = *to_delta(Gdp{0.5}, 1);
  for (const std::vector<Event>& events : {std::vector<Event>{GaussianEvent{0.5}, ApproximateEvent{0, 1e-5}},
                                           std::vector<Event>{ApproximateEvent{0, 1e-5}, GaussianEvent{0.5}}}) {
    EXPECT_GE(delta_of(events, 1), 1e-5 + (1 - 1e-5) * gaussian);
    EXPECT_NEAR(delta_of(events, 1) / (1e-5 + (1 - 1e-5) * gaussian), 1, 1e-12);
  }
  const Accountant reserved = accountant_of({ApproximateEvent{0, 1e-7}});
  const double room = reserved.room_for_gaussian({1, 1e-6})->mu;
  EXPECT_LT(room, Accountant{}.room_for_gaussian({1, 1e-6})->mu);
  EXPECT_GT(room, Accountant{}.room_for_gaussian({1, 0.89e-6})->mu);
}

TEST(Accountant, BoundedRangeIsNeverDearerThanPureAndGetsFourTimesCheaper) {
  EXPECT_LE(epsilon_of({BoundedRangeEvent{1}}, 1e-6), epsilon_of({PureEvent{1}}, 1e-6));
  const double bounded = epsilon_of(repeated(100, BoundedRangeEvent{0.1}), 1e-6);
  EXPECT_LT(bounded, 0.51 * epsilon_of(repeated(100, PureEvent{0.1}), 1e-6));
  EXPECT_LE(bounded, *to_epsilon(Zcdp{100 * 0.01 / 8}, 1e-6));
  EXPECT_GT(bounded, 0.9 * *to_epsilon(Zcdp{100 * 0.01 / 8}, 1e-6));
}

TEST(Accountant, ZcdpEventsConvertThroughRenyi) {
  EXPECT_NEAR(epsilon_of({ZcdpEvent{0.02}, ZcdpEvent{0.03}}, 1e-6) / *to_epsilon(Zcdp{0.05}, 1e-6), 1, 1e-12);
  EXPECT_NEAR(epsilon_of({ZcdpEvent{0.02}, GaussianEvent{0.2}}, 1e-6) / *to_epsilon(Zcdp{0.04}, 1e-6), 1, 1e-12);
  EXPECT_GT(epsilon_of({ZcdpEvent{0.02}, PureEvent{0.2}}, 1e-6), *to_epsilon(Zcdp{0.02}, 1e-6));
}

TEST(Accountant, MultitudesOfPureEventsAreNearlyAsTightThroughRenyi) {
  const double exact = epsilon_of(repeated(4000, PureEvent{0.01}), 1e-6);  // as atoms
  const double renyi = epsilon_of(repeated(4100, PureEvent{0.01}), 1e-6);  // too many atoms
  EXPECT_GT(renyi, exact);
  EXPECT_LT(renyi, 1.1 * exact);
}

TEST(Accountant, OrderDoesNotMatter) {
  const std::vector<Event> one{GaussianEvent{0.3}, PureEvent{0.2}, ApproximateEvent{0.1, 1e-8}, BoundedRangeEvent{0.4}};
  const std::vector<Event> other(one.rbegin(), one.rend());
  EXPECT_EQ(epsilon_of(one, 1e-6), epsilon_of(other, 1e-6));
}

TEST(Accountant, EveryEventCosts) {
  const std::vector<Event> base{GaussianEvent{0.3}, PureEvent{0.2}};
  const double before = epsilon_of(base, 1e-6);
  for (const Event& event : std::vector<Event>{GaussianEvent{0.1}, PureEvent{0.1}, BoundedRangeEvent{0.1},
                                               ApproximateEvent{0.1, 1e-8}, ZcdpEvent{0.001}}) {
    auto events = base;
    events.push_back(event);
    EXPECT_GT(epsilon_of(events, 1e-6), before * 1.001);
  }
}

TEST(Accountant, EpsilonAndDeltaAreEachOthersInverse) {
  const std::vector<Event> events{GaussianEvent{0.3}, PureEvent{0.2}, ApproximateEvent{0.1, 1e-8}};
  for (const double delta : {1e-7, 1e-5, 0.01}) {
    const double epsilon = epsilon_of(events, delta);
    EXPECT_LE(delta_of(events, epsilon), delta);
    EXPECT_GT(delta_of(events, epsilon * (1 - 1e-9)), delta);
  }
}

TEST(Accountant, InParallelTheWorstBranchCounts) {
  const ParallelEvent blocks{{{GaussianEvent{0.3}}, {GaussianEvent{0.2}, GaussianEvent{0.1}}, {}}};
  EXPECT_EQ(epsilon_of({blocks}, 1e-6), epsilon_of({GaussianEvent{0.3}}, 1e-6));
  const std::vector<Event> twice{blocks, blocks};
  EXPECT_EQ(epsilon_of(twice, 1e-6), epsilon_of({GaussianEvent{0.3}, GaussianEvent{0.3}}, 1e-6));
}

TEST(Accountant, WhichBranchIsWorstDependsOnDelta) {
  const ParallelEvent blocks{{{GaussianEvent{0.5}}, {PureEvent{1.5}}}};
  for (const double delta : {1e-12, 1e-6, 0.01})
    EXPECT_EQ(epsilon_of({blocks}, delta),
              std::max(epsilon_of({GaussianEvent{0.5}}, delta), epsilon_of({PureEvent{1.5}}, delta)));
  EXPECT_LT(epsilon_of({PureEvent{1.5}}, 1e-12), epsilon_of({GaussianEvent{0.5}}, 1e-12));
  EXPECT_GT(epsilon_of({PureEvent{1.5}}, 0.01), epsilon_of({GaussianEvent{0.5}}, 0.01));
}

TEST(Accountant, ParallelEventsNest) {
  const ParallelEvent inner{{{PureEvent{0.1}}, {PureEvent{0.2}}}};
  const ParallelEvent outer{{{inner, GaussianEvent{0.1}}, {PureEvent{0.15}}}};
  EXPECT_EQ(epsilon_of({outer}, 1e-6), epsilon_of({PureEvent{0.2}, GaussianEvent{0.1}}, 1e-6));
}

TEST(Accountant, RefusesBadEventsAndStaysAsItWas) {
  Accountant accountant = accountant_of({GaussianEvent{0.3}});
  const double before = *accountant.epsilon(1e-6);
  for (const double bad : {0.0, -1.0, double{NAN}, double{INFINITY}}) {
    EXPECT_FALSE(accountant.add(GaussianEvent{bad}).ok());
    EXPECT_FALSE(accountant.add(PureEvent{bad}).ok());
    EXPECT_FALSE(accountant.add(BoundedRangeEvent{bad}).ok());
    EXPECT_FALSE(accountant.add(ApproximateEvent{1, bad}).ok());
    EXPECT_FALSE(accountant.add(ZcdpEvent{bad}).ok());
    EXPECT_FALSE(accountant.add(ParallelEvent{{{PureEvent{1}}, {PureEvent{bad}}}}).ok());
  }
  for (const double bad : {-1.0, double{NAN}, double{INFINITY}})
    EXPECT_FALSE(accountant.add(ApproximateEvent{bad, 0.1}).ok());
  EXPECT_FALSE(accountant.add(ApproximateEvent{0, 0}).ok());
  EXPECT_FALSE(accountant.add(ApproximateEvent{1, 1}).ok());
  EXPECT_FALSE(accountant.add(ParallelEvent{}).ok());
  EXPECT_EQ(*accountant.epsilon(1e-6), before);
  EXPECT_FALSE(accountant.delta(-1).ok());
  EXPECT_FALSE(accountant.delta(NAN).ok());
  EXPECT_FALSE(accountant.epsilon(0).ok());
  EXPECT_FALSE(accountant.epsilon(1).ok());
}

TEST(Accountant, RefusesParallelEventsWithoutBound) {
  ParallelEvent deep{{{PureEvent{0.1}}}};
  for (int i = 0; i < 40; ++i) deep = ParallelEvent{{{deep}}};
  EXPECT_EQ(Accountant().add(deep).error().kind, ErrorKind::usage);

  Accountant accountant;
  Result<void> result;
  for (int i = 0; i < 12 && result.ok(); ++i) {
    const double size = std::pow(2, i);
    result = accountant.add(ParallelEvent{{{GaussianEvent{size}}, {ZcdpEvent{size}}}});
  }
  EXPECT_FALSE(result.ok());
}

TEST(Accountant, SurvivesExtremeEvents) {
  EXPECT_EQ(delta_of({GaussianEvent{1e200}}, 1), 1);
  EXPECT_FALSE(accountant_of({GaussianEvent{1e200}}).epsilon(1e-6).ok());
  EXPECT_EQ(epsilon_of({PureEvent{1e299}}, 1e-6) / 1e299, 1);
  EXPECT_LE(delta_of({PureEvent{1e308}, PureEvent{1e308}}, 1), 1);
  EXPECT_GT(delta_of({PureEvent{1e-300}, ZcdpEvent{1e-300}, BoundedRangeEvent{1e-300}}, 0), 0);
  EXPECT_LT(delta_of({PureEvent{1e-300}, ZcdpEvent{1e-300}, BoundedRangeEvent{1e-300}}, 1e-9), 1e-100);
}

TEST(Accountant, RoomForGaussianIsAllThatIsLeft) {
  const std::vector<Event> events{PureEvent{0.3}, ApproximateEvent{0.2, 1e-7}};
  const ApproxDp total{1, 1e-6};
  const double mu = accountant_of(events).room_for_gaussian(total)->mu;
  auto all = events;
  all.push_back(GaussianEvent{mu});
  EXPECT_LE(delta_of(all, total.epsilon), total.delta);
  all.back() = GaussianEvent{mu * (1 + 1e-9)};
  EXPECT_GT(delta_of(all, total.epsilon), total.delta);
  EXPECT_EQ(accountant_of({PureEvent{1.1}}).room_for_gaussian(total).error().kind, ErrorKind::refused);
  EXPECT_EQ(accountant_of({ApproximateEvent{0.1, 2e-6}}).room_for_gaussian(total).error().kind, ErrorKind::refused);
  EXPECT_DOUBLE_EQ(Accountant().room_for_gaussian(total)->mu, to_gdp(total)->mu);
}

}  // namespace
}  // namespace tailcoat
