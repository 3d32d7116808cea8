#include "crawl/read/table_reader.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <simdjson.h>

#include "base/bytes.h"
#include "crawl/read/row_reader.h"
#include "crawl/read/table_column.h"

namespace kith::crawl {
namespace {

// The columns of a table that are read, by the numbers of their fields.
struct Columns {
  std::array<std::optional<TableColumn>, RowFields::max_fields> by_field;
  std::array<std::optional<TableColumn>, RowFields::max_extras> extras;
  std::vector<std::string> names;  // of the whole columns that they are in
};

// "text", of "text" and of "text.body" where there is no column "text.body".
std::string whole_column(const ArrowSchema& table, std::string_view path) {
  for (int64_t i = 0; i < table.n_children; ++i) {
    const std::string_view name = table.children[i]->name;
    if (path == name || (path.starts_with(name) && path.substr(name.size()).starts_with('.'))) {
      return std::string(name);
    }
  }
  return std::string(path);
}

Columns columns_of(const ArrowSchema& table, const RowFields& fields) {
  Columns columns;
  const auto add_name = [&](const std::string& path) {
    std::string name = whole_column(table, path);
    if (std::ranges::find(columns.names, name) == columns.names.end()) {
      columns.names.push_back(std::move(name));
    }
  };
  for (size_t i = 0; i < fields.extras().size(); ++i) {
    columns.extras[i] = TableColumn::find(table, fields.extras()[i], true);
    if (columns.extras[i]) add_name(fields.extras()[i]);
  }
  const auto count = static_cast<uint8_t>(fields.all().size());
  for (uint8_t field = 0; field < count; ++field) {
    const RowFields::Field& wanted = fields.all()[field];
    std::optional<TableColumn> column = TableColumn::find(table, wanted.name);
    const bool is_of_texts = wanted.part != RowPart::id && wanted.part != RowPart::time;
    if (!column || (is_of_texts && column->is_number())) continue;
    add_name(wanted.name);
    columns.by_field[field] = std::move(column);
  }
  return columns;
}

class TableReader : public InputReader {
 public:
  TableReader(ArrowArrayStream stream, const std::string& path, RowFields fields, uint64_t bytes)
      : stream_(stream), path_(path), fields_(std::move(fields)), bytes_(bytes) {}
  TableReader(TableReader&&) = delete;
  ~TableReader() override {
    release_batch();
    if (stream_.release != nullptr) stream_.release(&stream_);
  }

  // Before all others.
  Status read_schema();

  Result<bool> read(BatchBuilder& batch) override;
  uint64_t bytes_read() const override { return is_at_end_ ? bytes_ : 0; }
  uint64_t bytes_unpacked() const override { return unpacked_; }

 private:
  void release_batch();
  Status check(int code);
  void take_row(BatchBuilder& batch);
  void append_table_extras(size_t at, bool is_null, std::string& bytes);
  Slice append(Arena& raw, std::string_view text, uint64_t longest);

  ArrowArrayStream stream_;
  const std::string& path_;
  const RowFields fields_;
  const uint64_t bytes_;
  OwnSchema schema_;
  Columns columns_;
  std::vector<std::string> names_;  // of all columns that are read
  ArrowArray table_{};
  size_t next_ = 0;    // row of the table
  uint64_t rows_ = 0;  // before it
  uint64_t unpacked_ = 0;
  bool is_at_end_ = false;
};

void TableReader::release_batch() {
  if (table_.release != nullptr) table_.release(&table_);
  table_ = {};
}

Status TableReader::check(int code) {
  if (code == 0) return Status::ok();
  const char* const given = stream_.get_last_error(&stream_);
  std::string_view reason = given == nullptr ? "no reason is given" : given;
  // What follows is a trace for programmers.
  reason = reason.substr(0, reason.find(". Detail: "));
  return Error{ErrorKind::corrupt,
               fmt::format("{}: cannot be read behind row {}: {}", path_, rows_, reason)};
}

Status TableReader::read_schema() {
  KITH_TRY(check(stream_.get_schema(&stream_, &schema_)));
  columns_ = columns_of(schema_, fields_);
  names_ = column_names(schema_, kNamedFields);
  return Status::ok();
}

Result<bool> TableReader::read(BatchBuilder& batch) {
  for (int rows = 0; rows < kRecordsPerRead && !batch.full(); ++rows) {
    while (next_ == static_cast<size_t>(table_.length)) {
      release_batch();
      next_ = 0;
      KITH_TRY(check(stream_.get_next(&stream_, &table_)));
      is_at_end_ = table_.release == nullptr;
      if (is_at_end_) return false;
    }
    take_row(batch);
  }
  return true;
}

Slice TableReader::append(Arena& raw, std::string_view text, uint64_t longest) {
  unpacked_ += text.size();
  // A character more than is kept tells a text that is cut.
  return raw.append(text.substr(0, longest + 4));
}

void TableReader::take_row(BatchBuilder& batch) {
  Arena& raw = batch.raw();
  const size_t begin = raw.used();
  Row row;
  row.form = BodyForm::cell;
  row.number = rows_++;
  row.place = {&path_, row.number};
  const size_t at = next_++;
  // A row that is null as a whole has no values, whatever its columns hold there.
  const bool is_null = is_null_at(table_, at);
  const auto count = static_cast<uint8_t>(fields_.all().size());
  for (uint8_t field = 0; field < count && !is_null; ++field) {
    std::optional<TableColumn>& column = columns_.by_field[field];
    const std::optional<std::string_view> value = column ? column->value(table_, at) : std::nullopt;
    if (!value) continue;
    const RowPart part = fields_.all()[field].part;
    const bool is_name = part == RowPart::url || part == RowPart::id;
    if (is_name || part == RowPart::time) {
      std::string& text = part == RowPart::url ? row.url : is_name ? row.id : row.time;
      if (text.empty()) text = with_valid_utf8(*value).value_or("");
      note_value(row, fields_, field, {0, value->size()});
    } else if (row.body_field == RowFields::none || part == RowPart::title) {
      note_value(row, fields_, field, append(raw, *value, batch.max_page()));
    }
  }
  append_table_extras(at, is_null, row.extras);
  offer_row(batch, fields_, row, "row", begin, [this] { return names_; });
}

void TableReader::append_table_extras(size_t at, bool is_null, std::string& bytes) {
  ExtraValues values{};
  const size_t count = fields_.extras().size();
  for (size_t i = 0; i < count && !is_null; ++i) {
    std::optional<TableColumn>& column = columns_.extras[i];
    if (const auto value = column ? column->value(table_, at) : std::nullopt) {
      // Not null, even where it is empty.
      values[i] = value->data() == nullptr ? std::string_view("") : *value;
    }
  }
  append_extras(values, count, bytes);
}

// Why a column that was named cannot be read.
Error cannot_read(const ArrowSchema& schema, const std::string& path, const std::string& column,
                  const char* wanted) {
  if (const std::optional<std::string> type = type_of_column(schema, column)) {
    return {ErrorKind::usage,
            fmt::format("{}: column '{}' is of type {}, not of {}", path, column, *type, wanted)};
  }
  return {ErrorKind::not_found, fmt::format("{}: no column '{}'; there are {}", path, column,
                                            fmt::join(column_names(schema, kNamedFields), ", "))};
}

}  // namespace

Status check_table(TableFiles& tables, const std::string& path, const RowFields& fields) {
  OwnSchema schema;
  KITH_TRY(tables.schema(path, schema));
  const Columns columns = columns_of(schema, fields);
  const std::vector<std::string> names = column_names(schema, kNamedFields);
  bool has_body = false;
  const auto count = static_cast<uint8_t>(fields.all().size());
  for (uint8_t field = 0; field < count; ++field) {
    const RowFields::Field& wanted = fields.all()[field];
    const bool is_read = columns.by_field[field].has_value();
    has_body |= fields.is_body(field) && is_read;
    if (!wanted.is_given || is_read) continue;
    return cannot_read(schema, path, wanted.name, "strings");
  }
  for (size_t i = 0; i < fields.extras().size(); ++i) {
    if (columns.extras[i]) continue;
    return cannot_read(schema, path, fields.extras()[i], "numbers or strings");
  }
  if (has_body) return Status::ok();
  if (names.empty()) return Error{ErrorKind::not_found, fmt::format("{}: has no column", path)};
  return Error{ErrorKind::not_found,
               fmt::format("{}: of its columns ({}) none is read as text: name one of texts, as in "
                           "--text-field {}",
                           path, fmt::join(names, ", "), names.back())};
}

Result<std::unique_ptr<InputReader>> make_table_reader(TableFiles& tables, const std::string& path,
                                                       const RowFields& fields, uint64_t bytes) {
  std::vector<std::string> names;
  {
    OwnSchema schema;
    KITH_TRY(tables.schema(path, schema));
    names = columns_of(schema, fields).names;
  }
  ArrowArrayStream stream{};
  KITH_TRY(tables.read(path, names, stream));
  auto reader = std::make_unique<TableReader>(stream, path, fields, bytes);
  KITH_TRY(reader->read_schema());
  return std::unique_ptr<InputReader>(std::move(reader));
}

}  // namespace kith::crawl
