// Losses by name: "name" or "name:parameter".
#include "tailcoat/losses/loss.hpp"

#include <fmt/format.h>

#include <charconv>
#include <functional>
#include <optional>
#include <system_error>

namespace tailcoat {
namespace {

constexpr std::string_view kLosses =
    "squared, logistic, poisson, huber[:delta], absolute, quantile:level, hinge, smoothed-hinge[:width], "
    "squared-hinge, "
    "linear";

static_assert(GlmLoss<SquaredLoss> && GlmLoss<LogisticLoss> && GlmLoss<PoissonLoss> && GlmLoss<HuberLoss> &&
              GlmLoss<AbsoluteLoss> && GlmLoss<QuantileLoss> && GlmLoss<HingeLoss> && GlmLoss<SmoothedHingeLoss> &&
              GlmLoss<SquaredHingeLoss> && GlmLoss<LinearLoss>);

template <class... Cases>
struct Overload : Cases... {
  using Cases::operator()...;
};
template <class... Cases>
Overload(Cases...) -> Overload<Cases...>;

std::optional<double> parse_number(std::string_view text) {
  double number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, problem] = std::from_chars(text.data(), end, number);
  if (problem != std::errc{} || stop != end) return std::nullopt;
  return number;
}

Result<Loss> plain(Loss loss, std::string_view text, std::optional<std::string_view> parameter) {
  if (!parameter) return loss;
  return usage_error(fmt::format("loss '{:.60}': this loss takes no parameter; write '{}'", text, loss_name(loss)));
}

// `make` turns the number into a loss; without one, `otherwise` is the answer.
Result<Loss> with_parameter(std::string_view text, std::optional<std::string_view> parameter,
                            const std::function<Loss(double)>& make, Result<Loss> otherwise) {
  if (!parameter) return otherwise;
  const auto number = parse_number(*parameter);
  if (!number) {
    return usage_error(fmt::format("loss '{:.60}': '{:.40}' is not a number; write for example '{}'", text, *parameter,
                                   loss_name(make(0.5))));
  }
  const Loss loss = make(*number);
  TAILCOAT_CHECK(check_loss(loss));
  return loss;
}

Result<void> check_scale(std::string_view loss, std::string_view parameter, double value) {
  if (value >= 1e-100 && value <= 1e100) return {};
  return usage_error(
      fmt::format("loss {}: {} is {}; it must be a number from 1e-100 to 1e100", loss, parameter, value));
}

}  // namespace

Result<void> check_loss(const Loss& loss) {
  if (const auto* huber = std::get_if<HuberLoss>(&loss)) return check_scale("huber", "threshold", huber->delta);
  if (const auto* smoothed = std::get_if<SmoothedHingeLoss>(&loss)) {
    return check_scale("smoothed-hinge", "width", smoothed->width);
  }
  if (const auto* quantile = std::get_if<QuantileLoss>(&loss);
      quantile && !(quantile->level > 0 && quantile->level < 1)) {
    return usage_error(fmt::format(
        "loss quantile: level is {}; it must be above 0 and below 1, such as 0.5 for the median", quantile->level));
  }
  return {};
}

std::string loss_name(const Loss& loss) {
  return std::visit(Overload{
                        [](const SquaredLoss&) { return std::string("squared"); },
                        [](const LogisticLoss&) { return std::string("logistic"); },
                        [](const PoissonLoss&) { return std::string("poisson"); },
                        [](const HuberLoss& huber) { return fmt::format("huber:{}", huber.delta); },
                        [](const AbsoluteLoss&) { return std::string("absolute"); },
                        [](const QuantileLoss& quantile) { return fmt::format("quantile:{}", quantile.level); },
                        [](const HingeLoss&) { return std::string("hinge"); },
                        [](const SmoothedHingeLoss& hinge) { return fmt::format("smoothed-hinge:{}", hinge.width); },
                        [](const SquaredHingeLoss&) { return std::string("squared-hinge"); },
                        [](const LinearLoss&) { return std::string("linear"); },
                    },
                    loss);
}

Result<Loss> parse_loss(std::string_view text) {
  const auto colon = text.find(':');
  const std::string_view name = text.substr(0, colon);
  std::optional<std::string_view> parameter;
  if (colon != std::string_view::npos) parameter = text.substr(colon + 1);

  for (const Loss& loss : {Loss{SquaredLoss{}}, Loss{LogisticLoss{}}, Loss{PoissonLoss{}}, Loss{AbsoluteLoss{}},
                           Loss{HingeLoss{}}, Loss{SquaredHingeLoss{}}, Loss{LinearLoss{}}}) {
    if (name == loss_name(loss)) return plain(loss, text, parameter);
  }
  if (name == "huber") {
    return with_parameter(
        text, parameter, [](double delta) { return HuberLoss{delta}; }, Loss{HuberLoss{}});
  }
  if (name == "smoothed-hinge") {
    return with_parameter(
        text, parameter, [](double width) { return SmoothedHingeLoss{width}; }, Loss{SmoothedHingeLoss{}});
  }
  if (name == "quantile") {
    return with_parameter(
        text, parameter, [](double level) { return QuantileLoss{level}; },
        usage_error("loss 'quantile': the level is missing; write for example 'quantile:0.9'"));
  }
  return usage_error(fmt::format("unknown loss '{:.60}'; there are {}", text, kLosses));
}

}  // namespace tailcoat
