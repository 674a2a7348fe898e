#include "tailcoat/algorithms/localized_blocks.hpp"

#include <fmt/format.h>

#include <cmath>

namespace tailcoat {

Result<void> check_localized(const Setting& setting, const Options& options) {
  TAILCOAT_CHECK(check(kMaxPassesOption, options.max_passes));
  TAILCOAT_CHECK(check(kFailureProbabilityOption, options.failure_probability));
  if (setting.rows < 2) return refusal(fmt::format("localized needs at least 2 rows, the data has {}", setting.rows));
  return {};
}

Result<void> check_certifies(const Bound& bound, const Setting& setting) {
  if (std::isfinite(bound.excess_risk)) return {};
  return refusal(
      fmt::format("localized certifies nothing for G2 = {}, Gk = {} and diameter = {}: out of the range of double",
                  setting.moments.g2, setting.moments.gk, setting.diameter));
}

FreshBlocks::Block FreshBlocks::next(std::size_t rows) {
  const std::size_t first = first_row_;
  first_row_ += rows;
  return {samples_.block(first, rows), meters_[first_meter_++]};
}

Result<std::vector<std::vector<double>>> FreshBlocks::solve(std::size_t copies, std::size_t rows, const Solve& solve) {
  std::vector<BitSource> noises = context_.noise.split(copies);
  std::vector<Block> blocks;
  for (std::size_t j = 0; j < copies; ++j) blocks.push_back(next(rows));
  std::vector<std::vector<double>> points(copies);
  const auto one = [&](std::size_t j) -> Result<void> {
    TAILCOAT_TRY(point, solve(blocks[j].samples, {blocks[j].meter, noises[j]}));
    points[j] = std::move(point);
    return {};
  };
  TAILCOAT_CHECK(copies == 1 ? one(0) : context_.engine.for_each(copies, one));
  return points;
}

}  // namespace tailcoat
