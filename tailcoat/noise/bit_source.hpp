// BitSource: where all privacy noise comes from. AES-256-CTR, keyed from the kernel. Bits are addressed, not consumed
// in order: a block of a release has its own key, so what is drawn for coordinate j of release r does not depend on
// threads or on what else was drawn. Layout of the keys, and how far from ideal the bits are: noise.md.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "tailcoat/base/result.hpp"
#include "tailcoat/noise/aes_ctr.hpp"

namespace tailcoat {

// A source and those split from it stop the program when they have handed out 2^24 keys (one per stream and branch) or
// 2^33 segments (508 words each, the first of a stream 60): beyond that the bits may be further than
// kRandomnessDistance from ideal. That is 6.9e10 Gaussian draws in full blocks.
inline constexpr std::uint64_t kMostKeys = std::uint64_t{1} << 24;
inline constexpr std::uint64_t kMostSegments = std::uint64_t{1} << 33;

// The bits of one block: an endless sequence of uniform 64-bit words, the same on every machine. Take one stream for
// many draws; it may be moved, after which the old one is spent.
class BitStream {
 public:
  std::uint64_t word() {
    if (next_ == end_) refill();
    std::uint64_t word;
    std::memcpy(&word, &bytes_[next_], sizeof word);
    next_ += sizeof word;
    return from_little_endian(word);
  }

  BitStream(BitStream&&) noexcept;
  BitStream& operator=(BitStream&&) noexcept;
  ~BitStream();

 private:
  friend class BitSource;
  struct Usage;
  BitStream(AesCtr cipher, std::shared_ptr<Usage> usage);
  void refill();

  static constexpr std::uint64_t from_little_endian(std::uint64_t word) {
    if constexpr (std::endian::native == std::endian::big) word = __builtin_bswap64(word);
    return word;
  }

  AesCtr cipher_;
  std::shared_ptr<Usage> usage_;
  std::size_t next_ = 0, end_ = 0;  // the unread bytes; the 32 at end_ are the next segment's key
  alignas(8) std::array<std::uint8_t, 4096> bytes_;
};

class BitSource {
 public:
  static Result<BitSource> from_kernel();
  // The same bits every time: for tests. Releases drawn from it are marked as not secure.
  static BitSource insecure_seeded(std::uint64_t seed);

  [[nodiscard]] bool secure() const;

  // A number no other call on this source returns, from any thread. Each release takes one and addresses its bits with
  // it.
  std::uint64_t next_release();
  // How many numbers it has returned. No release without one: while they are as many, nothing was released.
  [[nodiscard]] std::uint64_t releases() const;
  // May be called from several threads at once. release < 2^56, block < 2^63.
  [[nodiscard]] BitStream stream(std::uint64_t release, std::uint64_t block) const;

  // Independent sources, one for each branch of work whose order depends on threads. Takes a release number, so no two
  // calls give the same ones.
  [[nodiscard]] std::vector<BitSource> split(std::size_t branches);

  // Copying a source would draw the same noise twice, which reveals the difference of what it was added to. For the
  // same reason using a moved-from source, or a secure one in a child process of the one that made it, stops the
  // program.
  BitSource(BitSource&&) noexcept;
  BitSource& operator=(BitSource&&) noexcept;
  BitSource(const BitSource&) = delete;
  BitSource& operator=(const BitSource&) = delete;
  ~BitSource();

 private:
  struct State;
  explicit BitSource(std::unique_ptr<State>);
  State& usable() const;
  AesCtr derived(std::uint8_t purpose, std::uint64_t release, std::uint64_t index) const;

  std::unique_ptr<State> state_;
};

}  // namespace tailcoat
