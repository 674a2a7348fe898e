#include "tailcoat/fit/terms.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace tailcoat {
namespace {

constexpr double kKnots[] = {1.0 / 3, 2.0 / 3};  // shares of the rows below a knot
constexpr double kLeastSide = 0.05;              // of the rows: on either side of a knot, in a third place
constexpr double kLeastOwn = 0.14;               // of a bend's deviation, that no line has

// Where the rows of a column are: points with weights that add up to 1.
struct Points {
  Eigen::ArrayXd x, weight;

  [[nodiscard]] double mean(const Eigen::ArrayXd& of) const { return (weight * of).sum(); }
  [[nodiscard]] double deviation(const Eigen::ArrayXd& of) const {
    return std::sqrt(std::max(mean((of - mean(of)).square()), 0.0));
  }
};

// As if the rows of a bin were in so many places, evenly spread.
Points points_of(const ColumnSketch& sketch, Eigen::Index per_bin) {
  const auto bins = static_cast<Eigen::Index>(sketch.bins.size());
  Points points{Eigen::ArrayXd(per_bin * bins), Eigen::ArrayXd(per_bin * bins)};
  for (Eigen::Index i = 0; i < per_bin * bins; ++i) {
    const SketchBin& bin = sketch.bins[static_cast<std::size_t>(i / per_bin)];
    points.x[i] =
        bin.low + (bin.high - bin.low) * (static_cast<double>(i % per_bin) + 0.5) / static_cast<double>(per_bin);
    points.weight[i] = bin.rows;
  }
  points.weight /= std::max(points.weight.sum(), 1e-300);
  return points;
}

// Between the edges of its bin, as if rows were spread evenly there.
double quantile(const ColumnSketch& sketch, double below) {
  double left = below * sketch.rows();
  for (const SketchBin& bin : sketch.bins) {
    if (bin.rows >= left && bin.rows > 0) return bin.low + (bin.high - bin.low) * left / bin.rows;
    left -= bin.rows;
  }
  return sketch.high();
}

// (x - knot)+ less the line that is nearest to it: what a change of slope adds to a line.
struct Bend {
  double knot, slope, deviation;  // of that line, and of the rest
};

// Whether the rows can tell a change of slope there from a line. All of a bin may be in one place: two places have one
// slope.
bool can_tell(double knot, const Feature& number, const Points& middles) {
  const Eigen::ArrayXd x = middles.x.max(number.low).min(number.high), centred = x - middles.mean(x);
  const double below = middles.mean((x < knot).cast<double>()), above = middles.mean((x > knot).cast<double>());
  if (!(knot > number.low && knot < number.high) || std::min(below, above) < kLeastSide) return false;
  const Eigen::ArrayXd hinge = (x - knot).max(0);
  const double slope = middles.mean(hinge * centred) / middles.mean(centred.square());
  return middles.deviation(hinge - slope * x) > kLeastOwn * middles.deviation(hinge);
}

// Of the rows, in all bins but the two that hold most.
double besides_two_places(const Points& middles) {
  Eigen::ArrayXd weights = middles.weight;
  std::sort(weights.begin(), weights.end());
  return weights.head(std::max<Eigen::Index>(weights.size() - 2, 0)).sum();
}

// The changes of slope that the rows of a number can tell from a line.
std::vector<Bend> bends_of(const Feature& number, const ColumnSketch& sketch, const Points& points) {
  const Points middles = points_of(sketch, 1);
  if (besides_two_places(middles) < kLeastSide) return {};
  const Eigen::ArrayXd x = points.x.max(number.low).min(number.high), centred = x - points.mean(x);
  const double variance = points.mean(centred.square());
  std::vector<Bend> bends;
  for (const double share : kKnots) {
    const double knot = quantile(sketch, share);
    if (!can_tell(knot, number, middles) || (!bends.empty() && !(knot > bends.back().knot))) continue;
    const Eigen::ArrayXd hinge = (x - knot).max(0);
    const double slope = points.mean(hinge * centred) / variance;
    bends.push_back({knot, slope, points.deviation(hinge - slope * x)});
  }
  return bends;
}

FeatureKind piece_kind(std::size_t piece, std::size_t pieces) {
  return piece == 0 ? FeatureKind::below : (piece + 1 == pieces ? FeatureKind::above : FeatureKind::number);
}

// The number between its knots, each piece with unit variance.
std::vector<Feature> pieces_of(const Feature& number, const std::vector<Bend>& bends, const Points& points) {
  std::vector<Feature> pieces(bends.size() + 1, number);
  for (std::size_t p = 0; p < pieces.size(); ++p) {
    Feature& piece = pieces[p];
    piece.kind = piece_kind(p, pieces.size());
    if (p > 0) piece.low = bends[p - 1].knot;
    if (p < bends.size()) piece.high = bends[p].knot;
    const Eigen::ArrayXd cut = points.x.max(piece.low).min(piece.high);
    piece.centre = points.mean(cut);
    piece.scale = points.deviation(cut);
  }
  return pieces;
}

// Features and terms, column by column.
class Builder {
 public:
  explicit Builder(Terms& terms, std::size_t most) : terms_(terms) {
    const auto size = static_cast<Eigen::Index>(most);
    terms_.to_coefficients = Eigen::MatrixXd::Zero(size, size);
  }

  // A feature that is a term itself.
  void add(const Feature& feature, const std::string& group) {
    fit(feature);
    terms_.to_coefficients(at_, at_) = 1;
    in_group(group);
  }

  void add_without_coefficient(const Feature& feature) { terms_.features.push_back(feature); }

  void add_pieces(const Feature& number, const std::vector<Feature>& pieces, const std::vector<Bend>& bends) {
    const auto first = at_;
    for (std::size_t p = 0; p < pieces.size(); ++p) {
      fit(pieces[p]);
      const Eigen::Index row = first + static_cast<Eigen::Index>(p);
      terms_.to_coefficients(row, first) = pieces[p].scale / number.scale;
      for (std::size_t k = 0; k < bends.size(); ++k)
        terms_.to_coefficients(row, first + 1 + static_cast<Eigen::Index>(k)) =
            pieces[p].scale * ((p > k ? 1 : 0) - bends[k].slope) / bends[k].deviation;
    }
    in_group("number");
    for (std::size_t k = 0; k < bends.size(); ++k) in_group("bend");
  }

  void finish() { terms_.to_coefficients.conservativeResize(at_, at_); }

 private:
  void fit(const Feature& feature) {
    terms_.fitted.push_back(terms_.features.size());
    terms_.features.push_back(feature);
  }
  void in_group(const std::string& name) {
    terms_.group.push_back(groups_.emplace(name, groups_.size()).first->second);
    ++at_;
  }

  Terms& terms_;
  std::map<std::string, std::size_t> groups_;
  Eigen::Index at_ = 0;
};

std::string group_of(const Feature& feature) {
  if (is_of_text(feature.kind)) return "text " + feature.column;
  if (feature.kind == FeatureKind::beyond) return "tail";
  return is_slope(feature.kind) ? "number" : "indicator";
}

}  // namespace

Terms choose_terms(FeatureChoice choice, TermsKind kind, bool bends) {
  Terms terms;
  terms.notes = std::move(choice.notes);
  std::vector<std::string> one_value;
  Builder builder(terms, choice.fitted.size() + std::size(kKnots) * choice.candidates.size());
  for (std::size_t j = 0; j < choice.features.size(); ++j) {
    const Feature& feature = choice.features[j];
    const bool constant = std::ranges::find(choice.one_value, j) != choice.one_value.end();
    if (constant) one_value.push_back(feature.column);
    if (constant || !std::ranges::binary_search(choice.fitted, j)) {
      builder.add_without_coefficient(feature);
      continue;
    }
    const bool extra = feature.kind == FeatureKind::beyond || feature.kind == FeatureKind::nonzero;
    if (kind == TermsKind::linear && extra) continue;
    const auto candidate = std::ranges::find(choice.candidates, j, &Candidate::feature);
    if (!bends || candidate == choice.candidates.end()) {
      builder.add(feature, group_of(feature));
      continue;
    }
    const Points points = points_of(candidate->sketch, 8);
    const std::vector<Bend> found = bends_of(feature, candidate->sketch, points);
    if (found.empty())
      builder.add(feature, group_of(feature));
    else
      builder.add_pieces(feature, pieces_of(feature, found, points), found);
  }
  builder.finish();
  if (!one_value.empty())
    terms.notes.push_back(listed(one_value) +
                          ": all cells that are visible are one number, so there is no coefficient");
  return terms;
}

}  // namespace tailcoat
