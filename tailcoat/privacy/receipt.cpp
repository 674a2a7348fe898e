#include "tailcoat/privacy/receipt.hpp"

#include <nlohmann/json.hpp>

#include "tailcoat/privacy/randomness.hpp"

namespace tailcoat {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kNeighbours = "replace-one";

void add_price(Json& json, const Price& price) {
  if (price.mu != 0) json["mu"] = price.mu;
  if (price.epsilon != 0) json["epsilon"] = price.epsilon;
  if (price.delta != 0) json["delta"] = price.delta;
  if (price.rho != 0) json["rho"] = price.rho;
  if (price.steps == 0) return;
  json["rate"] = price.rate;
  json["ratio"] = price.ratio;
  json["steps"] = price.steps;
}

Json line_json(const ReceiptLine& line) {
  Json json{{"what", line.release.what}, {"mechanism", line.release.mechanism}};
  if (!line.block.empty()) json["block"] = line.block;
  json["values"] = line.release.values;
  json["sensitivity"] = line.release.sensitivity;
  json["noise_scale"] = line.release.noise_scale;
  add_price(json, line.price);
  if (!line.release.secure_noise) json["secure"] = false;
  return json;
}

Json budget_json(const Receipt& receipt) {
  // A budget in mu, or of delta = 0, has no delta to take the distance of the random source from, so it is stated
  // beside it.
  if (receipt.budget.epsilon > 0 && receipt.budget.delta == 0)
    return {{"epsilon", receipt.budget.epsilon}, {"delta", 0}, {"randomness_distance", kRandomnessDistance}};
  if (receipt.budget.epsilon > 0) return {{"epsilon", receipt.budget.epsilon}, {"delta", receipt.budget.delta}};
  return {{"mu", receipt.gaussian_budget.mu}, {"randomness_distance", kRandomnessDistance}};
}

bool is_secure(const Receipt& receipt) { return receipt.secure && receipt.blocks_not_joined == 0; }

Json lines_json(const Receipt& receipt) {
  Json lines = Json::array();
  for (const ReceiptLine& line : receipt.lines) lines.push_back(line_json(line));
  return lines;
}

// A name that is not UTF-8 has its bad bytes replaced; a number that is not finite, which no meter lets in, is null.
std::string text_of(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

}  // namespace

std::string Receipt::summary() const {
  return text_of({{"epsilon", budget.epsilon},
                  {"delta", budget.delta},
                  {"mu", gaussian_budget.mu},
                  {"mu_spent", gaussian_spent.mu},
                  {"neighbours", kNeighbours},
                  {"secure", is_secure(*this)},
                  {"releases", lines_json(*this)}});
}

std::string Receipt::json() const {
  Json json{{"schema", "tailcoat-receipt/1"}, {"neighbours", kNeighbours}};
  json["budget"] = budget_json(*this);
  json["gaussian_budget"] = {{"mu", gaussian_budget.mu}};
  json["spent"] = {{"mu", gaussian_spent.mu}};
  json["secure"] = is_secure(*this);
  if (blocks_not_joined > 0) json["blocks_not_joined"] = blocks_not_joined;
  json["releases"] = lines_json(*this);
  return text_of(json);
}

}  // namespace tailcoat
