#include "tailcoat/noise/bit_source.hpp"

#include <fmt/format.h>
#include <openssl/crypto.h>
#include <sys/random.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <span>
#include <string_view>
#include <utility>

#include "tailcoat/noise/fail_safe.hpp"
#include "tailcoat/noise/fork_guard.hpp"
#include "tailcoat/privacy/randomness.hpp"

namespace tailcoat {
namespace {

constexpr std::size_t kKeyBytes = 32;
constexpr std::size_t kFirstSegment = 512;  // bytes: most streams are short, and a whole segment costs 0.6 us
constexpr AesCtr::Counter kZeroCounter{};

// A key under which q blocks are encrypted is q^2 / 2^129 from ideal. A derived key takes 2 blocks of the one it is
// derived from, a segment 256 blocks of its own; the rest of the distance is for the samplers (noise.md).
static_assert((4.0 * kMostKeys * kMostKeys + 256.0 * 256.0 * kMostSegments) * 0x1p-129 < 0.99 * kRandomnessDistance);

enum Purpose : std::uint8_t { kStreamKey = 1, kBranchKey = 2 };

// purpose (8 bits), release (56 bits), 2 index (64 bits): the two blocks of a key differ in the last bit, and no two
// addresses share one.
AesCtr::Counter address(std::uint8_t purpose, std::uint64_t release, std::uint64_t index) {
  const std::uint64_t halves[2] = {std::uint64_t{purpose} << 56 | release, 2 * index};
  AesCtr::Counter counter;
  for (std::size_t i = 0; i < counter.size(); ++i)
    counter[i] = static_cast<std::uint8_t>(halves[i / 8] >> (56 - 8 * (i % 8)));
  return counter;
}

Result<void> fill_from_kernel(std::span<std::uint8_t> bytes) {
  while (!bytes.empty()) {
    const ssize_t got = getrandom(bytes.data(), bytes.size(), 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0)
      return system_error(
          fmt::format("the kernel gave no random bytes: getrandom failed with {}; no noise is drawn "
                      "from anything weaker, so make getrandom(2) available to this process",
                      std::strerror(errno)));
    bytes = bytes.subspan(static_cast<std::size_t>(got));
  }
  return {};
}

}  // namespace

// Shared by a source, the sources split from it and their streams.
struct BitStream::Usage {
  std::unique_ptr<ForkGuard> guard;  // of a secure source
  std::atomic<std::uint64_t> keys{0};
  std::atomic<std::uint64_t> segments{0};

  void check_process() const {
    abort_unless(!guard || !guard->in_child(),
                 "a random source was used in a child process; it would repeat the parent's noise, so make one there");
  }
};

BitStream::BitStream(AesCtr cipher, std::shared_ptr<Usage> usage)
    : cipher_(std::move(cipher)), usage_(std::move(usage)) {
  cipher_.next(std::span(bytes_).first<kKeyBytes>());
}

BitStream::BitStream(BitStream&& other) noexcept
    : cipher_(std::move(other.cipher_)),
      usage_(std::move(other.usage_)),
      next_(std::exchange(other.next_, other.end_)),
      end_(other.end_) {
  std::copy_n(other.bytes_.begin(), end_ + kKeyBytes, bytes_.begin());
}

BitStream& BitStream::operator=(BitStream&& other) noexcept {
  if (this == &other) return *this;
  OPENSSL_cleanse(bytes_.data(), end_ + kKeyBytes);
  cipher_ = std::move(other.cipher_);
  usage_ = std::move(other.usage_);
  next_ = std::exchange(other.next_, other.end_);
  end_ = other.end_;
  std::copy_n(other.bytes_.begin(), end_ + kKeyBytes, bytes_.begin());
  return *this;
}

BitStream::~BitStream() { OPENSSL_cleanse(bytes_.data(), end_ + kKeyBytes); }

// Every segment has its own key, the last bytes of the one before: few blocks per key keep the bits close to ideal.
void BitStream::refill() {
  const bool first = end_ == 0;
  cipher_.restart(std::span(bytes_).subspan(end_).first<kKeyBytes>(), kZeroCounter);  // stops if this was moved from
  usage_->check_process();
  abort_unless(usage_->segments.fetch_add(1, std::memory_order_relaxed) < kMostSegments,
               "a random source has no bits left; start a new run");
  const std::span segment = std::span(bytes_).first(first ? kFirstSegment : bytes_.size());
  cipher_.next(segment);
  next_ = 0;
  end_ = segment.size() - kKeyBytes;
}

struct BitSource::State {
  AesCtr::Key key;
  bool secure;
  std::shared_ptr<BitStream::Usage> usage;
  std::atomic<std::uint64_t> releases{0};

  ~State() { OPENSSL_cleanse(key.data(), key.size()); }
};

BitSource::BitSource(std::unique_ptr<State> state) : state_(std::move(state)) {}
BitSource::BitSource(BitSource&&) noexcept = default;
BitSource& BitSource::operator=(BitSource&&) noexcept = default;
BitSource::~BitSource() = default;

Result<BitSource> BitSource::from_kernel() {
  if (!AesCtr::available())
    return system_error("OpenSSL offers no AES-256-CTR; enable its default provider in openssl.cnf");
  TAILCOAT_TRY(guard, ForkGuard::create());
  auto state = std::make_unique<State>(AesCtr::Key{}, true, std::make_shared<BitStream::Usage>(std::move(guard)));
  TAILCOAT_CHECK(fill_from_kernel(state->key));
  return BitSource(std::move(state));
}

BitSource BitSource::insecure_seeded(std::uint64_t seed) {
  auto state = std::make_unique<State>(AesCtr::Key{}, false, std::make_shared<BitStream::Usage>());
  for (std::size_t i = 0; i < 8; ++i) state->key[i] = static_cast<std::uint8_t>(seed >> 8 * i);
  std::ranges::copy(std::string_view("tailcoat seed, for tests"), state->key.begin() + 8);
  return BitSource(std::move(state));
}

BitSource::State& BitSource::usable() const {
  abort_unless(state_ != nullptr, "a moved-from random source was used");
  state_->usage->check_process();
  return *state_;
}

// Positioned at the key for the address.
AesCtr BitSource::derived(std::uint8_t purpose, std::uint64_t release, std::uint64_t index) const {
  const State& state = usable();
  abort_unless(release >> 56 == 0 && index >> 63 == 0, "a release or block number is out of range");
  abort_unless(state.usage->keys.fetch_add(1, std::memory_order_relaxed) < kMostKeys,
               "a random source has no keys left; draw more from each stream, or start a new run");
  return AesCtr(state.key, address(purpose, release, index));
}

bool BitSource::secure() const { return usable().secure; }

std::uint64_t BitSource::next_release() { return usable().releases++; }

std::uint64_t BitSource::releases() const { return usable().releases; }

BitStream BitSource::stream(std::uint64_t release, std::uint64_t block) const {
  AesCtr cipher = derived(kStreamKey, release, block);
  return BitStream(std::move(cipher), state_->usage);
}

std::vector<BitSource> BitSource::split(std::size_t branches) {
  const std::uint64_t release = next_release();
  std::vector<BitSource> sources;
  for (std::size_t i = 0; i < branches; ++i) {
    AesCtr cipher = derived(kBranchKey, release, i);
    auto state = std::make_unique<State>(AesCtr::Key{}, state_->secure, state_->usage);
    cipher.next(state->key);
    sources.push_back(BitSource(std::move(state)));
  }
  return sources;
}

}  // namespace tailcoat
