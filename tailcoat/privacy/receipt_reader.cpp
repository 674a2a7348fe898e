#include "tailcoat/privacy/receipt_reader.hpp"

#include "tailcoat/base/json_fields.hpp"

namespace tailcoat {
namespace {

namespace fields = json_fields;

constexpr const char* kSchema = "tailcoat-receipt/1";

ReceiptLine line_of(const fields::Json& json) {
  ReceiptLine line;
  line.release = {.what = fields::text(json, "what"),
                  .mechanism = fields::text(json, "mechanism"),
                  .values = fields::count(json, "values"),
                  .sensitivity = fields::number(json, "sensitivity"),
                  .noise_scale = fields::number(json, "noise_scale"),
                  .secure_noise = !json.contains("secure") || fields::flag(json, "secure")};
  line.price = {.mu = fields::number_or(json, "mu", 0),
                .epsilon = fields::number_or(json, "epsilon", 0),
                .delta = fields::number_or(json, "delta", 0),
                .rho = fields::number_or(json, "rho", 0),
                .rate = fields::number_or(json, "rate", 0),
                .ratio = fields::number_or(json, "ratio", 0),
                .steps = json.contains("steps") ? fields::count(json, "steps") : 0};
  if (json.contains("block")) line.block = fields::text(json, "block");
  return line;
}

Receipt receipt_of(const fields::Json& json) {
  if (fields::text(json, "schema") != kSchema) fields::wrong("schema", fmt::format("must be '{}'", kSchema));
  Receipt receipt;
  const fields::Json& budget = fields::field(json, "budget");
  if (!budget.contains("mu")) receipt.budget = {fields::number(budget, "epsilon"), fields::number(budget, "delta")};
  receipt.gaussian_budget = {fields::number(fields::field(json, "gaussian_budget"), "mu")};
  receipt.gaussian_spent = {fields::number(fields::field(json, "spent"), "mu")};
  receipt.secure = fields::flag(json, "secure");
  if (json.contains("blocks_not_joined")) receipt.blocks_not_joined = fields::count(json, "blocks_not_joined");
  for (const fields::Json& line : fields::list(json, "releases")) receipt.lines.push_back(line_of(line));
  return receipt;
}

}  // namespace

Result<Receipt> receipt_from_json(const std::string& text) {
  const fields::Json json = fields::Json::parse(text, nullptr, false);
  if (!json.is_object()) return data_error("the receipt is not a JSON object");
  try {
    return receipt_of(json);
  } catch (const Error& error) {
    return data_error("the receipt is damaged: " + error.message);
  }
}

}  // namespace tailcoat
