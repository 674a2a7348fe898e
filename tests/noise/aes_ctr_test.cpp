#include "tailcoat/noise/aes_ctr.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace tailcoat {
namespace {

template <std::size_t Size>
std::array<std::uint8_t, Size> from_hex(std::string_view hex) {
  std::array<std::uint8_t, Size> bytes;
  for (std::size_t i = 0; i < Size; ++i)
    bytes[i] = static_cast<std::uint8_t>(std::stoul(std::string(hex.substr(2 * i, 2)), nullptr, 16));
  return bytes;
}

// NIST SP 800-38A, F.5.5 (CTR-AES256.Encrypt): the "output blocks", which are the key stream.
TEST(AesCtr, GivesTheKeyStreamOfSp80038a) {
  const auto key = from_hex<32>("603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4");
  const auto counter = from_hex<16>("f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff");
  const auto expected = from_hex<64>(
      "0bdf7df1591716335e9a8b15c860c5025a6e699d536119065433863c8f657b94"
      "1bc12c9c01610d5d0d8bd6a3378eca622956e1c8693536b1bee99c73a31576b6");
  std::array<std::uint8_t, 64> bytes;
  AesCtr(key, counter).next(bytes);
  EXPECT_EQ(bytes, expected);
}

// FIPS 197, C.3.
TEST(AesCtr, EncryptsTheBlockOfFips197) {
  const auto key = from_hex<32>("000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f");
  const auto plain = from_hex<16>("00112233445566778899aabbccddeeff");
  std::array<std::uint8_t, 16> bytes;
  AesCtr(key, plain).next(bytes);
  EXPECT_EQ(bytes, from_hex<16>("8ea2b7ca516745bfeafc49904b496089"));
}

TEST(AesCtr, ContinuesWhereItStoppedAndRestartsWhereItIsTold) {
  const AesCtr::Key key{1}, other_key{2};
  std::array<std::uint8_t, 64> whole, halves, again;
  AesCtr(key, {}).next(whole);
  AesCtr cipher(other_key, {9});
  cipher.restart(key, {});
  cipher.next(std::span(halves).first(32));
  cipher.next(std::span(halves).last(32));
  EXPECT_EQ(whole, halves);
  cipher.restart(key, {});
  cipher.next(again);
  EXPECT_EQ(whole, again);
}

}  // namespace
}  // namespace tailcoat
