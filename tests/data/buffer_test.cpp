#include "tailcoat/data/buffer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

namespace tailcoat {
namespace {

constexpr std::size_t kMegabyte = 1 << 20;

TEST(Buffer, KeepsItsContentsWhileItGrowsAndShrinks) {
  Buffer buffer;
  ASSERT_TRUE(buffer.resize(3).ok());
  std::memcpy(buffer.data(), "abc", 3);
  for (const std::size_t bytes :
       {kMegabyte, 3 * kMegabyte, 9 * kMegabyte, 64 * kMegabyte, kMegabyte, std::size_t{10}, 8 * kMegabyte}) {
    ASSERT_TRUE(buffer.resize(bytes).ok());
    EXPECT_GE(buffer.size(), bytes);
    EXPECT_EQ(std::memcmp(buffer.data(), "abc", 3), 0);
    buffer.data()[bytes - 1] = std::byte{1};
  }
}

TEST(Buffer, IsAlignedForVectorsAndForHugePages) {
  Buffer buffer;
  ASSERT_TRUE(buffer.resize(100).ok());
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer.data()) % 64, 0u);
  ASSERT_TRUE(buffer.resize(32 * kMegabyte).ok());
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer.data()) % (2 * kMegabyte), 0u);
}

TEST(Buffer, WhatTheSystemRefusesIsAnErrorAndTheContentsStay) {
  Buffer buffer;
  ASSERT_TRUE(buffer.resize(8 * kMegabyte).ok());
  buffer.data()[0] = std::byte{42};
  for (const std::size_t bytes : {SIZE_MAX, SIZE_MAX / 2, std::size_t{1} << 50}) {
    const auto result = buffer.resize(bytes);
    ASSERT_FALSE(result.ok()) << bytes;
    EXPECT_EQ(result.error().kind, ErrorKind::system);
    EXPECT_EQ(buffer.data()[0], std::byte{42});
    EXPECT_EQ(buffer.size(), 8 * kMegabyte);
  }
  EXPECT_FALSE(Buffer().resize(SIZE_MAX).ok());
}

TEST(Buffer, MovesInsteadOfCopying) {
  Buffer first;
  ASSERT_TRUE(first.resize(10).ok());
  const std::byte* data = first.data();
  Buffer second = std::move(first);
  EXPECT_EQ(second.data(), data);
  Buffer third;
  third = std::move(second);
  EXPECT_EQ(third.data(), data);
  ASSERT_TRUE(third.resize(0).ok());
  EXPECT_EQ(third.size(), 0u);
  EXPECT_EQ(third.data(), nullptr);
}

}  // namespace
}  // namespace tailcoat
