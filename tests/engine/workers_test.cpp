#include "tailcoat/engine/workers.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <stdexcept>
#include <vector>

namespace tailcoat {
namespace {

TEST(Workers, DoEveryItemOnceOnAnyNumberOfThreads) {
  for (const std::size_t threads : {1, 2, 3, 7}) {
    Workers workers(threads);
    EXPECT_EQ(workers.count(), threads);
    for (const std::size_t chunk : {1, 10, 64, 5000}) {
      std::vector<std::atomic<int>> done(1000);
      const auto thrown =
          workers.for_each_chunk(1000, chunk, [&](std::size_t worker, std::size_t begin, std::size_t end) {
            EXPECT_LT(worker, threads);
            for (std::size_t i = begin; i < end; ++i) ++done[i];
          });
      EXPECT_FALSE(thrown);
      for (const auto& count : done) EXPECT_EQ(count, 1);
    }
  }
}

TEST(Workers, HaveNothingToDoForNoItems) {
  Workers workers(2);
  EXPECT_FALSE(workers.for_each_chunk(0, 1, [](auto...) { ADD_FAILURE(); }));
}

TEST(Workers, HandBackAnExceptionAndGoOn) {
  Workers workers(3);
  for (int round = 0; round < 100; ++round) {
    const auto thrown = workers.for_each_chunk(100, 1, [](std::size_t, std::size_t begin, std::size_t) {
      if (begin % 10 == 3) throw std::runtime_error("no");
    });
    ASSERT_TRUE(thrown);
    EXPECT_THROW(std::rethrow_exception(thrown), std::runtime_error);
  }
  EXPECT_FALSE(workers.for_each_chunk(100, 1, [](auto...) {}));
}

TEST(Workers, StopAPassWhenAskedAndServeTheNextOne) {
  for (const std::size_t threads : {1, 3}) {
    std::atomic<bool> stop = false;
    std::atomic<int> done = 0;
    Workers workers(threads, &stop);
    const auto thrown = workers.for_each_chunk(1000, 1, [&](auto...) {
      if (++done == 10) stop = true;
    });
    ASSERT_TRUE(thrown);
    EXPECT_THROW(std::rethrow_exception(thrown), Stopped);
    EXPECT_LT(done, 20);
    EXPECT_THROW(workers.check_stop(), Stopped);
    stop = false;
    EXPECT_FALSE(workers.for_each_chunk(100, 1, [](auto...) {}));
  }
}

TEST(Workers, ServeAJobThatAsksForMoreWork) {
  Workers workers(2);
  std::atomic<int> done = 0;
  const auto inner = [&](std::size_t, std::size_t begin, std::size_t end) { done += static_cast<int>(end - begin); };
  EXPECT_FALSE(workers.for_each_chunk(10, 1, [&](auto...) { EXPECT_FALSE(workers.for_each_chunk(5, 1, inner)); }));
  EXPECT_EQ(done, 50);
}

TEST(Workers, LetCallersOnSeveralThreadsTakeTurns) {
  Workers workers(2);
  std::atomic<int> done = 0;
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 4; ++caller) {
    callers.emplace_back([&] {
      for (int round = 0; round < 50; ++round) {
        EXPECT_FALSE(workers.for_each_chunk(
            20, 2, [&](std::size_t, std::size_t begin, std::size_t end) { done += static_cast<int>(end - begin); }));
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(done, 4 * 50 * 20);
}

TEST(Workers, AreAtLeastOneAndNotTooMany) {
  EXPECT_GE(Workers(0).count(), 1u);
  EXPECT_LE(Workers(std::size_t{1} << 40).count(), 256u);
}

}  // namespace
}  // namespace tailcoat
