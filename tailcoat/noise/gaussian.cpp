#include "tailcoat/noise/gaussian.hpp"

#include <algorithm>
#include <cassert>

#include "tailcoat/noise/gaussian_strips.hpp"

namespace tailcoat {

std::int64_t rounded_gaussian(BitStream& bits) { return draw_rounded_gaussian(gaussian_strips(), bits); }

void add_rounded_gaussian(std::span<std::int64_t> values, const BitSource& source, std::uint64_t release,
                          std::uint64_t first_block) {
  constexpr std::int64_t kLargest = std::int64_t{1} << 62;
  const auto& strips = gaussian_strips();
  for (std::uint64_t block = first_block; !values.empty(); ++block) {
    const auto part = values.first(std::min(values.size(), kGaussianBlock));
    BitStream bits = source.stream(release, block);
    for (std::int64_t& value : part) {
      assert(-kLargest <= value && value <= kLargest);
      value += draw_rounded_gaussian(strips, bits);
    }
    values = values.subspan(part.size());
  }
}

}  // namespace tailcoat
