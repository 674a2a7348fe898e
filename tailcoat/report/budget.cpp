#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <vector>

#include "tailcoat/report/sections.hpp"
#include "tailcoat/report/text.hpp"

namespace tailcoat::report {
namespace {

constexpr std::size_t kColors = 7, kMostListed = 1000;

struct Group {
  std::string name;
  double weight = 0;  // in mu^2
  std::size_t releases = 0;
};

// mu^2, or what stands for it: rho-zCDP is the strength of mu^2 = 2 rho, epsilon-DP is (epsilon^2 / 2)-zCDP.
double weight_of(const Price& price) { return price.mu * price.mu + 2 * price.rho + price.epsilon * price.epsilon; }

void add(std::vector<Group>& groups, const std::string& name, double weight, std::size_t releases) {
  auto at = std::ranges::find(groups, name, &Group::name);
  if (at == groups.end()) at = groups.insert(groups.end(), {name});
  at->weight += weight;
  at->releases += releases;
}

// Largest first; those for which no colour is left go together. Releases on blocks are within the price of the line
// that opened the blocks.
std::vector<Group> groups_of(const Receipt& receipt) {
  std::vector<Group> all;
  for (const ReceiptLine& line : receipt.lines)
    if (line.block.empty() && std::isfinite(weight_of(line.price)))
      add(all, kind_of_release(line.release.what), weight_of(line.price), 1);
  std::ranges::stable_sort(all, std::greater(), &Group::weight);
  if (all.size() <= kColors) return all;
  std::vector<Group> shown(all.begin(), all.begin() + kColors - 1);
  for (std::size_t i = kColors - 1; i < all.size(); ++i) add(shown, "other releases", all[i].weight, all[i].releases);
  return shown;
}

std::string swatch(std::size_t color) {
  return fmt::format(
      "<svg class=\"swatch\" aria-hidden=\"true\"><rect class=\"s{}\" width=\"100%\" height=\"100%\"/></svg>", color);
}

std::string bar(const std::vector<Group>& groups, double total) {
  std::string parts, list;
  double start = 0;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const double share = groups[i].weight / total;
    parts +=
        fmt::format("<rect class=\"s{}\" x=\"{:.3f}%\" width=\"{:.3f}%\" height=\"26\"><title>{}: {}</title></rect>", i,
                    100 * start, 100 * share, shortened(groups[i].name, 80), percent(share, 3));
    list += fmt::format("<li>{}<span>{}</span> <b>{}</b> <small>{}</small></li>", swatch(i), name_html(groups[i].name),
                        percent(share, 3), counted(groups[i].releases, "release"));
    start += share;
  }
  return fmt::format(
      "<figure><svg class=\"bar\" width=\"100%\" height=\"26\" role=\"img\"><title>Shares of the privacy "
      "budget</title>{}</svg><ul class=\"legend shares\">{}</ul></figure>\n",
      parts, list);
}

std::string price_text(const Price& price) {
  if (price.mu > 0) return fmt::format("μ = {}", number(price.mu));
  if (price.rho > 0) return fmt::format("ρ = {}", number(price.rho));
  if (price.epsilon > 0 && price.delta > 0)
    return fmt::format("ε = {}, δ = {}", number(price.epsilon), number(price.delta));
  if (price.delta > 0) return fmt::format("δ = {}", number(price.delta));
  return price.epsilon > 0 ? fmt::format("ε = {}", number(price.epsilon)) : "–";
}

std::string release_row(std::size_t index, const ReceiptLine& line) {
  const Release& release = line.release;
  const std::string block = line.block.empty() ? "" : fmt::format("; block {}", name_html(line.block));
  return fmt::format(
      "<tr><td>{}</td><th scope=\"row\">{}{}</th><td "
      "class=\"text\">{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n",
      index + 1, name_html(release.what), block, name_html(release.mechanism), count(release.values),
      number(release.sensitivity), number(release.noise_scale), price_text(line.price));
}

std::string table(const Receipt& receipt) {
  const std::size_t listed = std::min(receipt.lines.size(), kMostListed);
  std::string out = fmt::format(
      "<details><summary>All {}</summary>\n<div class=\"wide\" role=\"region\" aria-label=\"Table of releases\" "
      "tabindex=\"0\"><table>\n<thead><tr><th scope=\"col\">No.</th><th scope=\"col\" class=\"text\">Release</th><th "
      "scope=\"col\" class=\"text\">Mechanism</th><th scope=\"col\">Numbers</th><th scope=\"col\">Sensitivity</th><th "
      "scope=\"col\">Noise</th><th scope=\"col\">Price</th></tr></thead>\n<tbody>\n",
      counted(receipt.lines.size(), "release"));
  for (std::size_t i = 0; i < listed; ++i) out += release_row(i, receipt.lines[i]);
  out += "</tbody></table></div>\n";
  if (listed < receipt.lines.size())
    out += fmt::format("<p class=\"small\">The first {} are listed; the receipt of the model file has all.</p>\n",
                       count(listed));
  if (std::ranges::any_of(receipt.lines, [](const ReceiptLine& line) { return !line.block.empty(); }))
    out +=
        "<p class=\"small\">Releases with a block read the rows of that block alone, and no row is in two blocks: "
        "their prices do not add up. All of them cost what the line of the disjoint blocks says.</p>\n";
  return out +
         "<p class=\"small\">Sensitivity: how far one row can move the released numbers. Noise: the standard deviation "
         "of what was added (of Laplace noise, its scale).</p></details>\n";
}

std::string spent_text(const Receipt& receipt) {
  const double granted = receipt.gaussian_budget.mu, spent = receipt.gaussian_spent.mu;
  if (!(granted > 0) || !(spent < 0.999 * granted)) return "";
  return fmt::format(" Of the budget {} was spent.", percent(spent * spent / (granted * granted), 3));
}

bool ends_a_kind(char c) { return c == ',' || std::isdigit(static_cast<unsigned char>(c)) != 0; }

}  // namespace

std::string kind_of_release(const std::string& what) {
  // "4 disjoint blocks" begins with its number: the kind is what follows.
  const auto begin = std::ranges::find_if_not(what, [](char c) { return ends_a_kind(c) || c == ' '; });
  std::string kind(begin, std::find_if(begin, what.end(), ends_a_kind));
  while (kind.ends_with(' ')) kind.pop_back();
  if (kind.ends_with(" of")) kind.resize(kind.size() - 3);
  return kind.empty() ? "release" : kind;
}

std::string budget_section(const Receipt& receipt) {
  std::string out = "<section aria-labelledby=\"budget\"><h2 id=\"budget\">How the budget was spent</h2>\n";
  const std::vector<Group> groups = groups_of(receipt);
  double total = 0;
  for (const Group& group : groups) total += group.weight;
  if (!(total > 0)) return out + "<p>Nothing that depends on the data was released.</p></section>\n";
  out += fmt::format(
      "<p>Every look at the data costs a part of the privacy budget, and a larger part buys a more exact answer. The "
      "bar shows what the {} of this fit took{}.{}</p>\n",
      counted(receipt.lines.size(), "release"), receipt.gaussian_budget.mu > 0 ? " (shares of μ², which add up)" : "",
      spent_text(receipt));
  return out + bar(groups, total) + table(receipt) + "</section>\n";
}

}  // namespace tailcoat::report
