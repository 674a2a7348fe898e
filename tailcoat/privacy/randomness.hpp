// The bargain between noise/ and the meter: noise/ keeps everything a run draws within this total variation distance of
// ideal randomness, AES-256 being an ideal block cipher (noise.md); the meter takes it out of delta (privacy.md).
#pragma once

namespace tailcoat {

inline constexpr double kRandomnessDistance = 0x1p-78;

}  // namespace tailcoat
