#include "tailcoat/mechanisms/histograms.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tailcoat/mechanisms/gaussian_release.hpp"
#include "tailcoat/noise/gaussian.hpp"

namespace tailcoat {

Result<ColumnHistograms> column_histograms(Engine& engine, const RowData& data, std::span<const BinGrid> grids,
                                           Gdp cost, Outlet outlet) {
  const auto counted = std::ranges::count_if(grids, [](const BinGrid& grid) { return bin_count(grid) > 0; });
  const std::string what = fmt::format("histograms of {} columns", counted);
  TAILCOAT_CHECK(outlet.meter.affords(what, cost));  // before a pass that would be for nothing
  TAILCOAT_TRY(sum, engine.histograms(data, grids, cost));
  ColumnHistograms result{.counts = {}, .noise_scale = kGaussianScale * sum.unit};
  TAILCOAT_TRY(counts, gaussian_release(what, std::move(sum), outlet));
  auto next = counts.begin();
  for (const BinGrid& grid : grids) {
    const auto end = next + static_cast<std::ptrdiff_t>(bin_count(grid));
    result.counts.emplace_back(next, end);
    next = end;
  }
  return result;
}

}  // namespace tailcoat
