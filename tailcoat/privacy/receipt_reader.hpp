// Receipts that are read back from their JSON.
#pragma once

#include <string>

#include "tailcoat/base/result.hpp"
#include "tailcoat/privacy/receipt.hpp"

namespace tailcoat {

// What Receipt::json() wrote, so that json() of it is the same text. A data error says which field is wrong.
Result<Receipt> receipt_from_json(const std::string& text);

}  // namespace tailcoat
