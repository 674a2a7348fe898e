#include "tailcoat/privacy/compose_spec.hpp"

#include <fmt/format.h>

#include <charconv>
#include <string_view>
#include <utility>

namespace tailcoat {
namespace {

constexpr std::size_t kMostEvents = 1'000'000;
constexpr int kDeepestNesting = 16;

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Result<std::vector<Event>> all() {
    TAILCOAT_TRY(events, list(0));
    if (position_ < text_.size()) return unexpected("a comma or the end");
    return std::move(events);
  }

 private:
  // LIST: EVENT[xCOUNT],...
  Result<std::vector<Event>> list(int depth) {
    std::vector<Event> events;
    do {
      const std::size_t before = written_out_;
      TAILCOAT_TRY(next, event(depth));
      TAILCOAT_TRY(times, count());
      const std::size_t size = 1 + written_out_ - before;  // with the events inside parallel(...)
      if (times > (kMostEvents - before) / size)
        return usage_error(
            fmt::format("--compose has more than {} events; state many small ones as one larger", kMostEvents));
      written_out_ = before + times * size;
      events.insert(events.end(), times, next);
    } while (take(","));
    return events;
  }

  Result<Event> event(int depth) {
    if (take("parallel(")) return parallel(depth + 1);
    if (take("gaussian:")) return simple<GaussianEvent>();
    if (take("pure:")) return simple<PureEvent>();
    if (take("bounded-range:")) return simple<BoundedRangeEvent>();
    if (take("zcdp:")) return simple<ZcdpEvent>();
    if (take("sampled:")) return sampled();
    if (!take("approx:"))
      return unexpected(
          "gaussian:MU, sampled:RATE:RATIO:STEPS, pure:EPSILON, bounded-range:EPSILON, approx:EPSILON:DELTA, zcdp:RHO "
          "or parallel(...)");
    TAILCOAT_TRY(epsilon, number());
    if (!take(":")) return unexpected("':' and a delta");
    TAILCOAT_TRY(delta, number());
    return Event{ApproximateEvent{epsilon, delta}};
  }

  Result<Event> sampled() {
    TAILCOAT_TRY(rate, number());
    if (!take(":")) return unexpected("':' and the ratio of a row's norm bound to the noise");
    TAILCOAT_TRY(ratio, number());
    if (!take(":")) return unexpected("':' and a number of steps");
    TAILCOAT_TRY(steps, parsed<std::size_t>("a whole number of steps"));
    return Event{SampledGaussianEvent{rate, ratio, steps}};
  }

  Result<Event> parallel(int depth) {
    if (depth > kDeepestNesting)
      return usage_error(fmt::format("--compose nests parallel(...) more than {} deep", kDeepestNesting));
    ParallelEvent blocks;
    do {
      TAILCOAT_TRY(branch, list(depth));
      blocks.branches.push_back(std::move(branch));
    } while (take("|"));
    if (!take(")")) return unexpected("',', '|' or ')'");
    return Event{std::move(blocks)};
  }

  template <class SimpleEvent>
  Result<Event> simple() {
    TAILCOAT_TRY(parameter, number());
    return Event{SimpleEvent{parameter}};
  }

  Result<double> number() { return parsed<double>("a number"); }

  Result<std::size_t> count() {
    if (!take("x")) return std::size_t{1};
    TAILCOAT_TRY(times, parsed<std::size_t>("a count"));
    if (times == 0) return usage_error("--compose has a count of 0; leave the event out instead");
    return times;
  }

  template <class Number>
  Result<Number> parsed(const char* what) {
    Number value{};
    const char* begin = text_.data() + position_;
    const auto [end, failure] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (failure != std::errc{}) return unexpected(what);
    position_ += static_cast<std::size_t>(end - begin);
    return value;
  }

  bool take(std::string_view token) {
    if (!text_.substr(position_).starts_with(token)) return false;
    position_ += token.size();
    return true;
  }

  [[nodiscard]] Error unexpected(std::string_view wanted) const {
    constexpr std::size_t kShown = 20;
    const std::string_view rest = text_.substr(position_);
    const std::string found = rest.empty() ? "the end" : fmt::format("'{}'", rest.substr(0, kShown));
    return usage_error(fmt::format("--compose: expected {}, found {}", wanted, found));
  }

  std::string_view text_;
  std::size_t position_ = 0;
  std::size_t written_out_ = 0;
};

}  // namespace

Result<std::vector<Event>> parse_events(std::string text) {
  std::erase(text, ' ');
  return Parser(text).all();
}

}  // namespace tailcoat
