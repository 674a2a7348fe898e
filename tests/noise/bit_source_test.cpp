#include "tailcoat/noise/bit_source.hpp"

#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <openssl/evp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <cerrno>
#include <cstdlib>
#include <set>
#include <thread>
#include <vector>

namespace tailcoat {
namespace {

using Words = std::vector<std::uint64_t>;

Words take(BitStream bits, std::size_t count) {
  Words words(count);
  for (auto& word : words) word = bits.word();
  return words;
}

// One AES-256 block straight from OpenSSL, for the layout that noise.md states.
using Block = std::array<std::uint8_t, 16>;
using Key = std::array<std::uint8_t, 32>;

Block encrypt(const Key& key, const Block& plain) {
  Block cipher;
  int size = 0;
  EVP_CIPHER_CTX* context = EVP_CIPHER_CTX_new();
  EVP_EncryptInit_ex(context, EVP_aes_256_ecb(), nullptr, key.data(), nullptr);
  EVP_CIPHER_CTX_set_padding(context, 0);
  EVP_EncryptUpdate(context, cipher.data(), &size, plain.data(), 16);
  EVP_CIPHER_CTX_free(context);
  return cipher;
}

Block plain_block(std::uint8_t purpose, std::uint64_t release, std::uint64_t low) {
  Block block{};
  for (std::size_t i = 0; i < 8; ++i) {
    block[7 - i] = static_cast<std::uint8_t>(release >> 8 * i);
    block[15 - i] = static_cast<std::uint8_t>(low >> 8 * i);
  }
  block[0] = purpose;
  return block;
}

Key derived_key(const Key& master, std::uint8_t purpose, std::uint64_t release, std::uint64_t index) {
  Key key;
  for (std::uint64_t half = 0; half < 2; ++half) {
    const Block block = encrypt(master, plain_block(purpose, release, 2 * index + half));
    std::copy(block.begin(), block.end(), key.begin() + 16 * static_cast<std::ptrdiff_t>(half));
  }
  return key;
}

Key seed_key(std::uint64_t seed) {
  Key key;
  for (std::size_t i = 0; i < 8; ++i) key[i] = static_cast<std::uint8_t>(seed >> 8 * i);
  const std::string_view label = "tailcoat seed, for tests";
  std::copy(label.begin(), label.end(), key.begin() + 8);
  return key;
}

// The words of a stream, segment by segment: 512 bytes, then 4096 each, the last 32 of each being the next key.
Words expected_words(Key key, std::size_t count) {
  Words words;
  for (std::size_t segment_bytes = 512; words.size() < count; segment_bytes = 4096) {
    std::vector<std::uint8_t> segment;
    for (std::uint64_t i = 0; i < segment_bytes / 16; ++i) {
      const Block block = encrypt(key, plain_block(0, 0, i));
      segment.insert(segment.end(), block.begin(), block.end());
    }
    for (std::size_t at = 0; at + 32 < segment.size() && words.size() < count; at += 8) {
      std::uint64_t word = 0;
      for (std::size_t i = 8; i-- > 0;) word = word << 8 | segment[at + i];
      words.push_back(word);
    }
    std::copy(segment.end() - 32, segment.end(), key.begin());
  }
  return words;
}

TEST(BitSource, StreamsAreTheStatedBlocksOfAes) {
  const std::uint64_t seed = 0x0123456789abcdef;
  BitSource source = BitSource::insecure_seeded(seed);
  const std::uint64_t release = 0x00f0e0d0c0b0a090, block = 0x7fffffffffffffff;
  EXPECT_EQ(take(source.stream(release, block), 2000),
            expected_words(derived_key(seed_key(seed), 1, release, block), 2000));
  source.next_release();
  const Key branch_key = derived_key(seed_key(seed), 2, 1, 77);
  EXPECT_EQ(take(source.split(78)[77].stream(3, 4), 100), expected_words(derived_key(branch_key, 1, 3, 4), 100));
}

TEST(BitSource, EveryAddressHasItsOwnBits) {
  std::set<std::uint64_t> seen;
  std::size_t drawn = 0;
  const auto draw_all = [&](const BitSource& source) {
    for (const std::uint64_t release : {0, 1, 2, 255, 256})
      for (const std::uint64_t block : {0, 1, 2, 255, 256})
        for (const std::uint64_t word : take(source.stream(release, block), 600)) seen.insert(word), ++drawn;
  };
  BitSource source = BitSource::insecure_seeded(1);
  draw_all(source);
  for (int call = 0; call < 2; ++call) {
    std::vector<BitSource> branches = source.split(257);
    for (const std::size_t index : {0, 1, 2, 255, 256}) draw_all(branches[index]);
    draw_all(branches[0].split(1)[0]);
  }
  draw_all(BitSource::insecure_seeded(2));
  EXPECT_EQ(seen.size(), drawn);  // 210,000 words: a collision by chance has probability 2e-9
}

TEST(BitSource, TheSameSeedGivesTheSameBits) {
  BitSource one = BitSource::insecure_seeded(5), two = BitSource::insecure_seeded(5);
  EXPECT_EQ(take(one.stream(1, 2), 1000), take(two.stream(1, 2), 1000));
  EXPECT_EQ(take(one.stream(1, 2), 1000), take(one.stream(1, 2), 1000));
  EXPECT_EQ(take(one.split(4)[3].stream(1, 2), 1000), take(two.split(4)[3].stream(1, 2), 1000));
}

TEST(BitSource, BitsDoNotDependOnWhatElseIsDrawn) {
  const BitSource source = BitSource::insecure_seeded(6);
  const Words expected = take(source.stream(0, 1), 1000);
  BitStream neighbour = source.stream(0, 0), bits = source.stream(0, 1);
  Words interleaved;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    interleaved.push_back(bits.word());
    for (std::size_t j = 0; j < i % 3; ++j) neighbour.word();
  }
  EXPECT_EQ(interleaved, expected);
}

TEST(BitSource, MayBeReadFromSeveralThreads) {
  const BitSource source = BitSource::insecure_seeded(7);
  std::vector<Words> parallel(8), serial(8);
  std::vector<std::thread> threads;
  for (std::uint64_t block = 0; block < 8; ++block)
    threads.emplace_back([&, block] { parallel[block] = take(source.stream(9, block), 2000); });
  for (auto& thread : threads) thread.join();
  for (std::uint64_t block = 0; block < 8; ++block) serial[block] = take(source.stream(9, block), 2000);
  EXPECT_EQ(parallel, serial);
}

TEST(BitSource, ReleaseNumbersDoNotRepeat) {
  BitSource source = BitSource::insecure_seeded(8);
  std::set<std::uint64_t> seen;
  for (int i = 0; i < 100; ++i) seen.insert(source.next_release());
  BitSource moved = std::move(source);
  for (int i = 0; i < 100; ++i) seen.insert(moved.next_release());
  EXPECT_EQ(seen.size(), 200u);
}

TEST(BitSource, ReleaseNumbersDoNotRepeatAcrossThreads) {
  constexpr std::size_t kCalls = 200'000;
  BitSource source = BitSource::insecure_seeded(8);
  std::vector<std::vector<std::uint64_t>> taken(4);
  std::vector<std::thread> threads;
  for (auto& numbers : taken)
    threads.emplace_back([&] {
      for (std::size_t i = 0; i < kCalls; ++i) numbers.push_back(source.next_release());
    });
  for (auto& thread : threads) thread.join();
  std::set<std::uint64_t> seen;
  for (const auto& numbers : taken) seen.insert(numbers.begin(), numbers.end());
  EXPECT_EQ(seen.size(), 4 * kCalls);
}

TEST(BitSource, TheKernelKeysEverySourceAnew) {
  auto one = BitSource::from_kernel(), two = BitSource::from_kernel();
  ASSERT_TRUE(one.ok() && two.ok());
  EXPECT_NE(take(one->stream(0, 0), 1), take(two->stream(0, 0), 1));  // equal with probability 2^-64
  EXPECT_TRUE(one->secure());
  EXPECT_TRUE(one->split(1)[0].secure());
  EXPECT_FALSE(BitSource::insecure_seeded(0).secure());
  EXPECT_FALSE(BitSource::insecure_seeded(0).split(1)[0].secure());
}

TEST(BitStream, ContinuesWhenMoved) {
  const BitSource source = BitSource::insecure_seeded(9);
  const Words expected = take(source.stream(0, 0), 1200);
  BitStream bits = source.stream(0, 0);
  Words words;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    words.push_back(bits.word());
    if (i % 50 == 0) {
      BitStream moved = std::move(bits);
      bits = std::move(moved);
    }
  }
  EXPECT_EQ(words, expected);
}

TEST(BitStreamDeathTest, IsSpentWhenMovedFrom) {
  const BitSource source = BitSource::insecure_seeded(10);
  BitStream bits = source.stream(0, 0);
  bits.word();
  const BitStream moved = std::move(bits);
  EXPECT_DEATH(bits.word(), "moved-from");
  BitStream unread = source.stream(0, 1);
  const BitStream moved_unread = std::move(unread);
  EXPECT_DEATH(unread.word(), "moved-from");
}

TEST(BitSourceDeathTest, IsSpentWhenMovedFrom) {
  BitSource source = BitSource::insecure_seeded(11);
  const BitSource moved = std::move(source);
  EXPECT_DEATH(source.next_release(), "moved-from");
  EXPECT_DEATH((void)source.stream(0, 0), "moved-from");
  EXPECT_DEATH((void)source.split(1), "moved-from");
}

// The statement of a death test runs in a forked child.
TEST(BitSourceDeathTest, RefusesToRepeatNoiseInAChildProcess) {
  auto source = BitSource::from_kernel();
  ASSERT_TRUE(source.ok());
  EXPECT_DEATH(source->next_release(), "child process");
  EXPECT_DEATH((void)source->stream(0, 0), "child process");
  EXPECT_DEATH((void)source->split(1), "child process");
  std::vector<BitSource> branches = source->split(1);
  EXPECT_DEATH((void)branches[0].stream(0, 0), "child process");
  BitStream bits = source->stream(0, 0);
  EXPECT_DEATH(bits.word(), "child process");
}

TEST(BitSourceDeathTest, RefusesAddressesThatWouldOverlap) {
  const BitSource source = BitSource::insecure_seeded(12);
  EXPECT_DEATH((void)source.stream(std::uint64_t{1} << 56, 0), "out of range");
  EXPECT_DEATH((void)source.stream(0, std::uint64_t{1} << 63), "out of range");
}

// Makes getrandom(2) fail in this process, for good.
bool forbid_getrandom() {
  sock_filter program[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getrandom, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog filter{.len = 4, .filter = program};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

TEST(BitSourceDeathTest, FailsRatherThanUseAWeakerSourceThanTheKernel) {
  constexpr int kRefused = 0, kServed = 1, kNoFilter = 2;
  EXPECT_EXIT(
      {
        if (!forbid_getrandom()) std::_Exit(kNoFilter);
        const auto source = BitSource::from_kernel();
        std::_Exit(!source.ok() && source.error().kind == ErrorKind::system ? kRefused : kServed);
      },
      [](int status) { return WIFEXITED(status) && WEXITSTATUS(status) != kServed; }, "");
}

}  // namespace
}  // namespace tailcoat
