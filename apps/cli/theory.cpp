#include "theory.hpp"

#include <fmt/format.h>

#include <charconv>
#include <limits>
#include <vector>

#include "options.hpp"

namespace tailcoat::cli {
namespace {

constexpr NumberOption kDiameter{
    .name = "diameter", .meaning = "diameter of the domain, a ball", .lowest = 1e-100, .highest = 1e100};
constexpr NumberOption kSmoothness{.name = "smoothness",
                                   .meaning = "every sample loss is this smooth; none if not given",
                                   .lowest = 0,
                                   .highest = 1e100,
                                   .open_below = true};

constexpr NumberOption kStrongConvexity{.name = "strong-convexity",
                                        .meaning = "of the mean of GLMs, of every other loss; 0: not known",
                                        .lowest = 0,
                                        .highest = 1e100,
                                        .default_value = 0};

Result<Moments> parse_moments(const std::string& text) {
  if (text.empty()) return usage_error("give --moments K,G2,GK, e.g. 3,1.6,2.5");
  std::vector<double> numbers;
  const char *at = text.data(), *end = at + text.size();
  for (;;) {
    double value = 0;
    const auto [stop, error] = std::from_chars(at, end, value);
    if (error != std::errc()) break;
    numbers.push_back(value);
    at = stop;
    if (at == end || *at != ',') break;
    ++at;
  }
  if (at == end && numbers.size() == 3) return Moments{.k = numbers[0], .g2 = numbers[1], .gk = numbers[2]};
  if (at == end && numbers.size() == 2 && numbers[0] < 2) return moments_below_two(numbers[0], numbers[1]);
  return usage_error(
      fmt::format("moments '{}' are not three numbers K,G2,GK, e.g. 3,1.6,2.5, or K,GK with K below 2", text));
}

}  // namespace

bool TheoryArguments::given() const {
  return diameter || smoothness || strong_convexity || max_passes || failure_probability || !moments.empty() ||
         constants != "tight";
}

void add_theory_arguments(CLI::App& parser, TheoryArguments& arguments) {
  parser.add_option("--moments", arguments.moments, "of the Lipschitz constants, see below")->type_name("K,G2,GK");
  add_number(parser, kDiameter, arguments.diameter);
  add_number(parser, kSmoothness, arguments.smoothness);
  add_number(parser, kStrongConvexity, arguments.strong_convexity);
  add_number(parser, kMaxPassesOption, arguments.max_passes);
  add_number(parser, kFailureProbabilityOption, arguments.failure_probability);
  parser.add_option("--constants", arguments.constants, "tight, or paper: the text's parameters; tight if not given")
      ->type_name("WHICH");
}

Result<Theory> theory_of(const TheoryArguments& arguments) {
  TAILCOAT_TRY(moments, parse_moments(arguments.moments));
  TAILCOAT_TRY(diameter, number(kDiameter, arguments.diameter));
  TAILCOAT_TRY(strong_convexity, number(kStrongConvexity, arguments.strong_convexity));
  TAILCOAT_TRY(max_passes, number(kMaxPassesOption, arguments.max_passes));
  TAILCOAT_TRY(failure_probability, number(kFailureProbabilityOption, arguments.failure_probability));
  if (arguments.constants != "tight" && arguments.constants != "paper")
    return usage_error(fmt::format("constants '{}' are neither tight nor paper", arguments.constants));
  double smoothness = std::numeric_limits<double>::infinity();
  if (arguments.smoothness) {
    TAILCOAT_TRY(given, number(kSmoothness, arguments.smoothness));
    smoothness = given;
  }
  return Theory{.diameter = diameter,
                .smoothness = smoothness,
                .strong_convexity = strong_convexity,
                .moments = moments,
                .options = {.constants = arguments.constants == "paper" ? Constants::paper : Constants::tight,
                            .failure_probability = failure_probability,
                            .max_passes = max_passes}};
}

}  // namespace tailcoat::cli
