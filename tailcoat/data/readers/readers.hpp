// The reader of each format. Users call open_rows, which picks one and turns a lack of memory into an error.
#pragma once

#include <memory>
#include <string>

#include "tailcoat/base/result.hpp"
#include "tailcoat/data/open_rows.hpp"

namespace tailcoat {

Result<std::unique_ptr<RowSource>> open_csv(const std::string& path, const ReadOptions& options);
Result<std::unique_ptr<RowSource>> open_npy(const std::string& path, const ReadOptions& options);
Result<std::unique_ptr<RowSource>> open_libsvm(const std::string& path, const ReadOptions& options);

}  // namespace tailcoat
