#include "tailcoat/mechanisms/histograms.hpp"

#include "tailcoat/mechanisms/gaussian_release.hpp"
#include "tailcoat/noise/gaussian.hpp"

namespace tailcoat {

Result<ColumnHistograms> column_histograms(Engine& engine, const RowData& data, std::span<const BinGrid> grids,
                                           const std::string& what, Gdp cost, Outlet outlet) {
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
