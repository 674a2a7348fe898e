#include "tailcoat/estimators/design.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <new>
#include <optional>
#include <unordered_map>

#include "tailcoat/base/checked.hpp"
#include "tailcoat/engine/pass.hpp"
#include "tailcoat/estimators/encoder.hpp"

namespace tailcoat {
namespace {

// Multiplications for a row; more than so many take longer than to read the row from memory (docs/speed.md).
constexpr std::size_t kWideWork = 64 * 64;
constexpr std::size_t kChunk = 512;  // rows that are made at a time

// change(numbers[i], cell) for each of `numbers`, where the cells of a column are those from `begin` on.
template <class Change>
void for_each_cell(const Rows& column, std::size_t begin, std::span<double> numbers, const Change& change) {
  std::visit(
      [&](const auto& rows) {
        const auto* cell = rows.data + begin * rows.stride;
        for (double& number : numbers) {
          change(number, static_cast<double>(*cell));
          cell += rows.stride;
        }
      },
      column);
}

struct Inputs {
  std::vector<std::size_t> columns, outputs;
  std::vector<const Feature*> features;
};

// The fitted features of some kinds.
Result<Inputs> inputs_of(const Frame& frame, const DesignColumns& wanted, const std::function<bool(FeatureKind)>& is) {
  Inputs inputs;
  for (std::size_t output = 0; output < wanted.fitted.size(); ++output) {
    const Feature& feature = wanted.features[wanted.fitted[output]];
    if (!is(feature.kind)) continue;
    TAILCOAT_TRY(column, frame.index_of(feature.column));
    inputs.columns.push_back(column);
    inputs.outputs.push_back(output);
    inputs.features.push_back(&feature);
  }
  return inputs;
}

// Inputs from `first` on that are made of the columns.
std::vector<Recipe::Run> runs_of(std::span<const std::size_t> columns, std::size_t first) {
  std::vector<Recipe::Run> runs;
  for (std::size_t k = 0; k < columns.size(); ++k) {
    if (k > 0 && columns[k] == columns[k - 1] + 1)
      ++runs.back().count;
    else
      runs.push_back({columns[k], first + k, 1});
  }
  return runs;
}

void add_numbers(Recipe& recipe, const Inputs& numbers) {
  for (std::size_t k = 0; k < numbers.columns.size(); ++k) {
    const Feature& feature = *numbers.features[k];
    recipe.factor[k] = 1 / feature.scale;
    recipe.shift[k] = -feature.centre / feature.scale;
    recipe.low[k] = (feature.low - feature.centre) / feature.scale;
    recipe.high[k] = (feature.high - feature.centre) / feature.scale;
  }
  recipe.numbers = runs_of(numbers.columns, 0);
}

void add_tails(Recipe& recipe, const Inputs& tails) {
  const std::size_t first = padded(recipe.dense);
  for (std::size_t k = 0; k < tails.columns.size(); ++k) {
    const Feature& feature = *tails.features[k];
    recipe.factor[first + k] = 1 / feature.scale;
    recipe.low[first + k] = feature.low;
    recipe.high[first + k] = feature.high;
    recipe.knot_low[first + k] = feature.knot_low;
    recipe.knot_high[first + k] = feature.knot_high;
  }
  recipe.tails = runs_of(tails.columns, first);
}

void add_indicators(Recipe& recipe, const Inputs& nonzero, const Inputs& missing) {
  recipe.first_indicator = recipe.dense - nonzero.columns.size() - missing.columns.size();
  const auto no = [](const Feature& feature) { return (0 - feature.centre) / feature.scale; };
  const auto yes = [](const Feature& feature) { return (1 - feature.centre) / feature.scale; };
  for (std::size_t k = 0; k < nonzero.columns.size(); ++k)
    recipe.indicators.push_back({nonzero.columns[k], no(*nonzero.features[k]), yes(*nonzero.features[k]), 0});
  for (std::size_t k = 0; k < missing.columns.size(); ++k) {
    const double present = no(*missing.features[k]);
    recipe.indicators.push_back({missing.columns[k], present, present, yes(*missing.features[k])});
  }
}

}  // namespace

Result<std::vector<double>> labels_of(const Rows& column, const LabelRule& rule) try {
  std::vector<double> labels(row_count(column));
  for_each_cell(column, 0, labels, [&](double& label, double cell) { label = rule.of(cell); });
  return labels;
} catch (const std::bad_alloc&) {
  return system_error("no memory for a column of labels");
}

Result<Design> Design::create(const Frame& frame, const DesignColumns& wanted, double leverage) try {
  TAILCOAT_CHECK(RowEncoder::create(wanted.features, frame.columns));  // refuses features that are none
  TAILCOAT_TRY(target, frame.index_of(wanted.target));
  TAILCOAT_CHECK(check_apart(frame, wanted.target));
  const auto kind = [](FeatureKind one) { return [one](FeatureKind other) { return one == other; }; };
  TAILCOAT_TRY(numbers, inputs_of(frame, wanted, is_slope));
  TAILCOAT_TRY(tails, inputs_of(frame, wanted, kind(FeatureKind::beyond)));
  TAILCOAT_TRY(nonzero, inputs_of(frame, wanted, kind(FeatureKind::nonzero)));
  TAILCOAT_TRY(missing, inputs_of(frame, wanted, kind(FeatureKind::missing)));
  Design design;
  design.cells_ = frame.cells;
  design.target_ = frame.column(target);
  if (!wanted.exposure.empty()) {
    TAILCOAT_TRY(exposure, frame.index_of(wanted.exposure));
    design.exposure_ = frame.column(exposure);
  }
  Recipe& recipe = design.recipe_;
  design.entries_ = wanted.fitted.size() + 1;
  design.radius_ = leverage * std::sqrt(static_cast<double>(design.entries_));
  recipe.dense = numbers.columns.size() + nonzero.columns.size() + missing.columns.size();
  recipe.inputs = tails.columns.empty() ? recipe.dense : padded(recipe.dense) + tails.columns.size();
  std::vector<std::size_t>& output_of = design.output_of_;
  for (const Inputs* inputs : {&numbers, &nonzero, &missing})
    output_of.insert(output_of.end(), inputs->outputs.begin(), inputs->outputs.end());
  if (!tails.columns.empty()) output_of.resize(padded(recipe.dense), design.entries_);
  output_of.insert(output_of.end(), tails.outputs.begin(), tails.outputs.end());
  for (AlignedVector* of :
       {&recipe.factor, &recipe.shift, &recipe.low, &recipe.high, &recipe.knot_low, &recipe.knot_high})
    of->assign(recipe.room(), 0.0);
  add_numbers(recipe, numbers);
  add_indicators(recipe, nonzero, missing);
  add_tails(recipe, tails);
  design.add_texts(frame, wanted);
  std::vector<double> identity(design.entries_ * design.entries_);
  for (std::size_t j = 0; j < design.entries_; ++j) identity[j * (design.entries_ + 1)] = 1;
  design.set_matrix(identity);
  return design;
} catch (const std::bad_alloc&) {
  return system_error("no memory for the features of the rows");
}

// A text is in one of the states known level 0, 1, ..., or none of them, which is the centre of all its features unless
// one is for that.
void Design::add_texts(const Frame& frame, const DesignColumns& wanted) {
  std::vector<std::size_t> output(wanted.features.size(), entries_);
  for (std::size_t i = 0; i < wanted.fitted.size(); ++i) output[wanted.fitted[i]] = i;
  std::size_t lines = recipe_.inputs + 1;
  for (std::size_t column = 0; column < frame.columns.size(); ++column) {
    const Column& texts = frame.columns[column];
    std::unordered_map<std::string, std::uint32_t> known;
    std::vector<LevelOutput> levels;
    std::optional<std::size_t> of_others;
    double squares = 0;  // of a row whose level is not that of a fitted feature
    for (std::size_t j = 0; j < wanted.features.size(); ++j) {
      const Feature& feature = wanted.features[j];
      if (!is_of_text(feature.kind) || feature.column != texts.name) continue;
      if (feature.kind == FeatureKind::other)
        of_others = levels.size();
      else
        known.emplace(feature.level, static_cast<std::uint32_t>(levels.size()));
      levels.push_back({output[j], feature.centre, 1 / feature.scale});
      if (output[j] < entries_) squares += std::pow(feature.centre / feature.scale, 2);
    }
    if (levels.empty()) continue;
    Recipe::Texts state{column, {}, {}, lines};
    for (const LevelOutput& level : levels) {
      const double other = level.centre * level.factor, here = (1 - level.centre) * level.factor;
      state.squares.push_back(level.output < entries_ ? squares - other * other + here * here : squares);
    }
    state.squares.push_back(0);
    const auto none = static_cast<std::uint32_t>(lines + of_others.value_or(levels.size()));
    for (const std::string& text : texts.levels) {
      const auto found = known.find(text);
      state.line_of.push_back(found == known.end() ? none : static_cast<std::uint32_t>(lines) + found->second);
    }
    state.line_of.push_back(none);
    lines += state.squares.size();
    recipe_.texts.push_back(std::move(state));
    levels_.push_back(std::move(levels));
  }
  lines_ = lines;
}

void Design::set_matrix(std::span<const double> matrix) {
  const std::size_t size = matrix.size() / entries_, width = padded(size);
  recipe_.outputs = size;
  recipe_.lines.assign(lines_ * width, 0.0F);
  const auto line = [&](std::size_t number) { return recipe_.lines.data() + number * width; };
  for (std::size_t k = 0; k < recipe_.inputs; ++k)
    if (output_of_[k] < entries_) std::ranges::copy(matrix.subspan(output_of_[k] * size, size), line(k));
  std::ranges::copy(matrix.last(size), line(recipe_.inputs));
  std::vector<double> none_of_them(size);
  for (std::size_t t = 0; t < levels_.size(); ++t) {
    std::ranges::fill(none_of_them, 0.0);
    for (const LevelOutput& level : levels_[t]) {
      if (level.output == entries_) continue;
      for (std::size_t k = 0; k < size; ++k)
        none_of_them[k] -= level.centre * level.factor * matrix[level.output * size + k];
    }
    for (std::size_t l = 0; l < levels_[t].size(); ++l) {
      const LevelOutput& level = levels_[t][l];
      for (std::size_t k = 0; k < size; ++k) {
        const double own = level.output == entries_ ? 0 : level.factor * matrix[level.output * size + k];
        line(recipe_.texts[t].first_line + l)[k] = static_cast<float>(none_of_them[k] + own);
      }
    }
  }
}

// Squared norms become weights.
void Design::weigh(std::size_t begin, std::span<double> squares, double radius) const {
  const double most = radius * radius;
  for (double& square : squares) square = square <= most ? 1 : most / square;
  if (row_count(exposure_) == 0) return;
  for_each_cell(exposure_, begin, squares, [](double& weight, double exposure) { weight *= exposure; });
}

void Design::label(std::size_t begin, std::span<double> labels) const {
  for_each_cell(target_, begin, labels, [&](double& label, double cell) { label = labels_.of(cell); });
  if (!labels_.per_exposure) return;
  for_each_cell(exposure_, begin, labels, [](double& label, double exposure) { label /= exposure; });
}

RowsOf<float> Design::make(std::size_t begin, std::size_t end, const RowSpace& space) const noexcept {
  const std::size_t count = end - begin;
  label(begin, {space.labels, count});
  if (kept_) {
    std::copy_n(weights_.data() + begin, count, space.weights);
    return part_of(*kept_, begin, end);
  }
  std::visit(
      [&](const auto& cells) { cook(recipe_, part_of(cells, begin, end), space.scratch, space.rows, space.weights); },
      cells_);
  weigh(begin, {space.weights, count}, radius_);
  return {space.rows, count, columns(), padded(columns())};
}

bool Design::is_wide() const { return (recipe_.dense + recipe_.texts.size()) * columns() > kWideWork; }

bool Design::fits_cells() const {
  const auto row_bytes = []<class T>(const RowsOf<T>& cells) { return cells.stride * sizeof(T); };
  return columns() * sizeof(float) <= std::visit(row_bytes, cells_);
}

Result<void> Design::keep(Engine& engine, Buffer* cells) {
  if (cells != nullptr && fits_cells()) {
    const auto floats = []<class T>(const RowsOf<T>& rows) { return rows.stride * (sizeof(T) / sizeof(float)); };
    return keep_at(engine, reinterpret_cast<float*>(cells->data()), std::visit(floats, cells_));
  }
  if (!is_wide()) return {};
  const auto bytes = checked_mul(rows(), columns() * sizeof(float));
  if (!bytes) return data_error("the data is too large");
  TAILCOAT_CHECK(own_.resize(*bytes));
  return keep_at(engine, reinterpret_cast<float*>(own_.data()), columns());
}

template <class Take>
Result<void> Design::for_each_chunk(Engine& engine, const Take& take) const {
  const std::size_t count = rows();
  return engine.for_each((count + kChunk - 1) / kChunk, [&](std::size_t chunk) -> Result<void> {
    const std::size_t begin = chunk * kChunk, end = std::min(count, begin + kChunk);
    std::vector<float, VectorAllocator<float>> space(kChunk * padded(columns()));
    std::vector<std::byte, VectorAllocator<std::byte>> scratch(scratch_bytes());
    std::vector<double> labels(kChunk), weights(kChunk);
    const RowsOf<float> made = make(begin, end, {space.data(), labels.data(), weights.data(), scratch.data()});
    take(begin, made, weights);
    return {};
  });
}

Result<std::vector<float>> Design::margins(Engine& engine, std::span<const double> x) const try {
  std::vector<float> margins(rows());
  const AlignedVector padded_x = padded_copy(x);
  TAILCOAT_CHECK(for_each_chunk(engine, [&](std::size_t begin, const RowsOf<float>& made, const auto&) {
    for (std::size_t i = 0; i < made.rows; ++i)
      margins[begin + i] = static_cast<float>(row_margin(made.row(i).data(), padded_x.data(), columns()));
  }));
  return margins;
} catch (const std::bad_alloc&) {
  return system_error("no memory for the margins of the rows");
}

// A chunk of rows is written when all of its cells have been read, and, in the memory of the cells, where they were.
// Then chunks close ranks: a pass is to read rows and nothing between them.
Result<void> Design::keep_at(Engine& engine, float* rows, std::size_t stride) try {
  const std::size_t count = this->rows();
  std::vector<double> weights(count);
  TAILCOAT_TRY(targets, labels_of(target_, {}));
  TAILCOAT_TRY(exposures, labels_of(exposure_, {}));
  TAILCOAT_CHECK(
      for_each_chunk(engine, [&](std::size_t begin, const RowsOf<float>& made, std::span<const double> weights_here) {
        std::ranges::copy(weights_here.first(made.rows), weights.begin() + static_cast<std::ptrdiff_t>(begin));
        for (std::size_t i = 0; i < made.rows; ++i)
          std::ranges::copy(made.row(i), rows + begin * stride + i * columns());
      }));
  for (std::size_t begin = kChunk; begin < count && stride > columns(); begin += kChunk)
    std::copy_n(rows + begin * stride, std::min(kChunk, count - begin) * columns(), rows + begin * columns());
  weights_ = std::move(weights);
  targets_ = std::move(targets);
  exposures_ = std::move(exposures);
  target_ = RowsOf<double>{targets_.data(), count, 1, 1};
  exposure_ = RowsOf<double>{exposures_.data(), exposures_.size(), 1, 1};
  kept_ = RowsOf<float>{rows, count, columns(), columns()};
  return {};
} catch (const std::bad_alloc&) {
  return system_error("no memory for the labels and weights of the rows");
}

}  // namespace tailcoat
