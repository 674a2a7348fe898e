// Arrow streams as tables: batch by batch, never more than one of them beside the table. Ctrl-C stops the reading.
#include <fmt/format.h>

#include <algorithm>

#include "arrow_column.hpp"
#include "bindings.hpp"
#include "data.hpp"
#include "job.hpp"
#include "tailcoat/data/row_source.hpp"
#include "tailcoat/data/text.hpp"

namespace tailcoat::python {
namespace {

constexpr std::int64_t kEntries = 1 << 15;  // of a dictionary, between two looks for Ctrl-C

struct Source {
  std::int64_t child;  // of the stream's struct
  ArrowColumn reader;
};

// Ctrl-C that hits Python code behind a stream comes out of that as one of the stream's own errors, in words only.
[[noreturn]] void throw_interrupt() {
  const nb::gil_scoped_acquire acquire;
  PyErr_SetNone(PyExc_KeyboardInterrupt);
  throw nb::python_error();
}

class ArrowRows final : public RowSource {
 public:
  // `stream` is released by whoever owns it.
  ArrowRows(ArrowArrayStream* stream, std::optional<std::string> apart)
      : stream_(stream), apart_name_(std::move(apart)) {}

  Result<void> open(const std::vector<std::string>& names, const std::vector<std::string>& texts);
  [[nodiscard]] std::span<const Column> columns() const override { return columns_; }
  [[nodiscard]] ApartColumn take_apart() { return std::move(apart_); }

 private:
  Result<std::size_t> read_rows(double* block, std::size_t rows) override;
  // The levels grow with the rows, so a second pass would see other ones.
  Result<void> restart() override {
    if (begun_) return usage_error("an Arrow stream can be read only once");
    return {};
  }

  [[nodiscard]] Error failure(const char* what) const {
    const char* last = stream_->get_last_error(stream_);
    const std::string text = last != nullptr ? last : "no reason given";
    if (text.find("KeyboardInterrupt") != std::string::npos) throw_interrupt();
    return data_error(fmt::format("the Arrow stream fails in {}: {}", what, text));
  }
  Result<bool> next_batch();
  void learn_dictionary(Source& source, Column& column);
  Result<void> add(const ArrowSchema& schema, std::int64_t child, const std::vector<std::string>& texts);
  Result<void> read_apart(std::int64_t count);

  ArrowArrayStream* stream_;
  std::optional<std::string> apart_name_;
  std::vector<Column> columns_;
  std::vector<Source> sources_;
  std::optional<Source> apart_source_;
  ApartColumn apart_;
  Owned<ArrowArray> batch_;
  std::int64_t used_ = 0;  // rows of the batch
  std::int64_t children_ = 0;
  bool begun_ = false;
  Interrupts interrupts_;
};

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

Result<void> ArrowRows::add(const ArrowSchema& schema, std::int64_t child, const std::vector<std::string>& texts) {
  const std::string name = schema.name != nullptr ? schema.name : "";
  const bool is_apart = apart_name_ && name == *apart_name_;
  const bool as_text = contains(texts, name);
  if (is_apart) {
    TAILCOAT_TRY(reader, ArrowColumn::create(schema, std::nullopt));
    apart_source_ = Source{child, std::move(reader)};
    apart_.column.name = name;
    apart_.kind = apart_source_->reader.kind();
    return {};
  }
  TAILCOAT_TRY(reader, ArrowColumn::create(schema, as_text));
  sources_.push_back({child, std::move(reader)});
  columns_.push_back({.name = name, .kind = as_text ? ColumnKind::text : ColumnKind::number});
  return {};
}

Result<void> ArrowRows::open(const std::vector<std::string>& names, const std::vector<std::string>& texts) {
  Owned<ArrowSchema> schema;
  if (stream_->get_schema(stream_, &*schema) != 0) return failure("its schema");
  if (std::string_view(schema->format) != "+s")
    return data_error("X is a single column; pass a frame with it, such as X.to_frame()");
  children_ = schema->n_children;
  std::vector<Column> header;
  for (std::int64_t k = 0; k < children_; ++k)
    header.push_back({.name = schema->children[k]->name != nullptr ? schema->children[k]->name : ""});
  TAILCOAT_CHECK(check_columns(header));
  TAILCOAT_TRY(wanted, find_columns_or_all(header, names));
  if (apart_name_) {
    TAILCOAT_TRY(apart, find_column(header, *apart_name_));
    if (!contains(names, *apart_name_) && !names.empty()) wanted.push_back(apart);
  }
  for (const std::string& text : texts)
    if (!contains(names, text)) TAILCOAT_CHECK(find_column(header, text));
  for (const std::size_t k : wanted) TAILCOAT_CHECK(add(*schema->children[k], static_cast<std::int64_t>(k), texts));
  if (columns_.empty()) return data_error("the Arrow stream has no columns but the target");
  return {};
}

// False at the end.
Result<bool> ArrowRows::next_batch() {
  batch_.reset();
  used_ = 0;
  if (stream_->get_next(stream_, &*batch_) != 0) return failure("a batch");
  if (batch_.empty()) return false;
  if (batch_->n_children != children_)
    return data_error("a batch of the Arrow stream has other columns than its schema");
  if (batch_->null_count > 0) return data_error("the Arrow stream has rows that are null as a whole");
  for (std::size_t j = 0; j < sources_.size(); ++j) learn_dictionary(sources_[j], columns_[j]);
  if (apart_source_) learn_dictionary(*apart_source_, apart_.column);
  return true;
}

// It may be another one in each batch, and as long as that.
void ArrowRows::learn_dictionary(Source& source, Column& column) {
  source.reader.forget();
  const ArrowArray* dictionary = batch_->children[source.child]->dictionary;
  if (dictionary == nullptr) return;
  for (std::int64_t first = 0; first < dictionary->length; first += kEntries) {
    interrupts_.check();
    source.reader.learn(*dictionary, first, std::min(kEntries, dictionary->length - first), column);
  }
}

Result<void> ArrowRows::read_apart(std::int64_t count) {
  const std::size_t before = apart_.values.size();
  apart_.values.resize(before + static_cast<std::size_t>(count));
  const ArrowArray& array = *batch_->children[apart_source_->child];
  return apart_source_->reader.read(array, batch_->offset + used_, count, apart_.values.data() + before, 1,
                                    apart_.column);
}

Result<std::size_t> ArrowRows::read_rows(double* block, std::size_t rows) {
  begun_ = true;
  interrupts_.check();
  while (batch_.empty() || used_ == batch_->length) {
    TAILCOAT_TRY(more, next_batch());
    if (!more) return std::size_t{0};
  }
  const std::int64_t count = std::min(static_cast<std::int64_t>(rows), batch_->length - used_);
  for (std::size_t j = 0; j < sources_.size(); ++j) {
    const ArrowArray& array = *batch_->children[sources_[j].child];
    TAILCOAT_CHECK(
        sources_[j].reader.read(array, batch_->offset + used_, count, block + j, columns_.size(), columns_[j]));
  }
  if (apart_source_) TAILCOAT_CHECK(read_apart(count));
  used_ += count;
  return static_cast<std::size_t>(count);
}

Result<Table> load_stream(ArrowRows& rows, const std::vector<std::string>& names,
                          const std::vector<std::string>& texts) {
  TAILCOAT_CHECK(rows.open(names, texts));
  return load(rows, Storage::f64);
}

}  // namespace

Data read_arrow(const nb::object& source, const std::vector<std::string>& names, const std::vector<std::string>& texts,
                const std::optional<std::string>& apart) {
  const nb::object capsule = source.attr("__arrow_c_stream__")();
  auto* stream = static_cast<ArrowArrayStream*>(PyCapsule_GetPointer(capsule.ptr(), "arrow_array_stream"));
  if (stream == nullptr) throw nb::python_error();
  ArrowRows rows(stream, apart);
  std::optional<Result<Table>> table;
  {
    const nb::gil_scoped_release release;  // whoever makes the batches may want it
    table = load_stream(rows, names, texts);
  }
  Data data{.table = value_of(std::move(*table))};
  data.columns = data.table->columns();
  data.cells = data.table->view();
  if (apart) data.apart = rows.take_apart();
  return data;
}

}  // namespace tailcoat::python
