#include "tailcoat/mechanisms/clipped_mean.hpp"

#include "tailcoat/mechanisms/gaussian_release.hpp"

namespace tailcoat {

Result<std::vector<double>> clipped_mean(Engine& engine, const RowData& data, double radius, const std::string& what,
                                         Gdp cost, Outlet outlet) {
  TAILCOAT_TRY(lattice, clip_lattice(radius, data.dimension(), cost));
  TAILCOAT_TRY(sum, engine.clipped_row_sum(data, lattice));
  TAILCOAT_TRY(mean, gaussian_release(what, std::move(sum), outlet));
  for (double& coordinate : mean) coordinate /= static_cast<double>(data.rows());
  return std::move(mean);
}

}  // namespace tailcoat
