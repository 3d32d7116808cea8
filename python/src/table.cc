#include "table.h"

#include <algorithm>
#include <charconv>
#include <fstream>

#include <fmt/format.h>

namespace kith::python {

void Column::add_text(std::string_view text) {
  bytes_ += text;
  text_offsets_.push_back(static_cast<int64_t>(bytes_.size()));
}

void Column::add(std::string_view text) {
  add_text(text);
  ++rows_;
}

void Column::add(uint64_t count) {
  counts_.push_back(count);
  ++rows_;
}

void Column::add(double number) {
  numbers_.push_back(number);
  ++rows_;
}

void Column::add(bool flag) {
  if (rows_ % 8 == 0) bits_.push_back(0);
  if (flag) bits_.back() = static_cast<uint8_t>(bits_.back() | 1u << (rows_ % 8));
  ++rows_;
}

void Column::add(std::span<const std::string_view> texts) {
  for (const std::string_view text : texts) add_text(text);
  list_offsets_.push_back(list_offsets_.back() + static_cast<int64_t>(texts.size()));
  ++rows_;
}

void Column::add(const std::vector<std::string>& texts) {
  add(std::vector<std::string_view>(texts.begin(), texts.end()));
}

void Column::add(const std::vector<double>& numbers) {
  numbers_.insert(numbers_.end(), numbers.begin(), numbers.end());
  list_offsets_.push_back(static_cast<int64_t>(numbers_.size()));
  ++rows_;
}

void Column::expect(size_t rows) {
  if (rows_ == 0 || rows <= rows_) return;
  // A tenth more: rows differ.
  const double times = 1.1 * static_cast<double>(rows) / static_cast<double>(rows_);
  const auto reserve = [&](auto& values) {
    values.reserve(static_cast<size_t>(times * static_cast<double>(values.size())));
  };
  reserve(text_offsets_);
  reserve(bytes_);
}

std::string_view Column::text(size_t row) const {
  const auto begin = static_cast<size_t>(text_offsets_[row]);
  const auto end = static_cast<size_t>(text_offsets_[row + 1]);
  return std::string_view(bytes_).substr(begin, end - begin);
}

std::vector<std::string_view> Column::texts(size_t row) const {
  std::vector<std::string_view> result;
  for (int64_t i = list_offsets_[row]; i < list_offsets_[row + 1]; ++i) {
    result.push_back(text(static_cast<size_t>(i)));
  }
  return result;
}

std::vector<double> Column::numbers(size_t row) const {
  return {numbers_.begin() + list_offsets_[row], numbers_.begin() + list_offsets_[row + 1]};
}

const Column* Table::find(std::string_view name) const {
  for (const Column& column : columns) {
    if (column.name() == name) return &column;
  }
  return nullptr;
}

namespace {

void add_value(const Column& from, size_t row, Column& to) {
  switch (from.type()) {
    case ColumnType::text:
      return to.add(from.text(row));
    case ColumnType::count:
      return to.add(from.count(row));
    case ColumnType::number:
      return to.add(from.number(row));
    case ColumnType::flag:
      return to.add(from.flag(row));
    case ColumnType::texts:
      return to.add(std::span<const std::string_view>(from.texts(row)));
    case ColumnType::numbers:
      return to.add(from.numbers(row));
  }
}

}  // namespace

Table head(const Table& table, size_t n) {
  Table first;
  for (const Column& column : table.columns) {
    Column& copy = first.columns.emplace_back(column.name(), column.type());
    for (size_t row = 0; row < std::min(n, column.rows()); ++row) add_value(column, row, copy);
  }
  return first;
}

std::string in_one_text(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, ", "));
}

namespace {

// The value of hexadecimal digits; they are ours, so that a broken one gives some character.
uint32_t hex_value(std::string_view digits) {
  uint32_t value = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
  return value;
}

void append_utf8(uint32_t code, std::string& out) {
  const auto byte = [&out](uint32_t value) { out += static_cast<char>(value); };
  if (code < 0x80) return byte(code);
  if (code < 0x800) {
    byte(0xC0 | code >> 6);
  } else {
    byte(0xE0 | code >> 12);
    byte(0x80 | (code >> 6 & 0x3F));
  }
  byte(0x80 | (code & 0x3F));
}

// Reads the escape behind a backslash, and returns how many bytes it has.
size_t append_escape(std::string_view rest, std::string& out) {
  if (rest.empty()) return 0;
  switch (rest[0]) {
    case 't':
      out += '\t';
      return 1;
    case 'n':
      out += '\n';
      return 1;
    case 'r':
      out += '\r';
      return 1;
    case 'x':
      out += static_cast<char>(hex_value(rest.substr(1, 2)));
      return std::min<size_t>(3, rest.size());
    case 'u': {
      const size_t end = std::min(rest.find('}'), rest.size() - 1);
      append_utf8(hex_value(rest.substr(2, end - 2)), out);
      return end + 1;
    }
    default:
      out += rest[0];
      return 1;
  }
}

template <class Value>
bool add_parsed(std::string_view field, Column& column) {
  Value value{};
  const char* const end = field.data() + field.size();
  const auto [at, error] = std::from_chars(field.data(), end, value);
  if (error != std::errc() || at != end) return false;
  column.add(value);
  return true;
}

bool add_field(std::string_view field, Column& column) {
  switch (column.type()) {
    case ColumnType::count:
      return add_parsed<uint64_t>(field, column);
    case ColumnType::number:
      return add_parsed<double>(field, column);
    default:
      column.add(std::string_view(unescape_tsv(field)));
      return true;
  }
}

// False when the line has other fields than the table.
bool add_line(std::string_view line, Table& table) {
  for (size_t i = 0; i < table.columns.size(); ++i) {
    const bool is_last = i + 1 == table.columns.size();
    const size_t tab = line.find('\t');
    if ((tab == std::string_view::npos) != is_last) return false;
    if (!add_field(line.substr(0, tab), table.columns[i])) return false;
    line.remove_prefix(is_last ? line.size() : tab + 1);
  }
  return true;
}

}  // namespace

std::string unescape_tsv(std::string_view field) {
  std::string text;
  for (size_t at = 0; at < field.size();) {
    const size_t slash = std::min(field.find('\\', at), field.size());
    text += field.substr(at, slash - at);
    at = std::min(slash + 1, field.size());
    if (slash < field.size()) at += append_escape(field.substr(at), text);
  }
  return text;
}

Result<Table> read_tsv_list(const std::string& path,
                            const std::vector<std::pair<std::string, ColumnType>>& columns) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return Error{ErrorKind::not_found, fmt::format("{}: cannot be opened", path)};
  Table table;
  std::string header;
  for (const auto& [name, type] : columns) {
    table.columns.emplace_back(name, type);
    header += (header.empty() ? "" : "\t") + name;
  }
  std::string line;
  if (!std::getline(file, line) || line != header) {
    return Error{ErrorKind::corrupt,
                 fmt::format("{}: is no list with the columns {}", path, header)};
  }
  for (uint64_t number = 2; std::getline(file, line); ++number) {
    if (add_line(line, table)) continue;
    return Error{ErrorKind::corrupt,
                 fmt::format("{}, line {}: does not fit the columns", path, number)};
  }
  if (file.bad()) return Error{ErrorKind::io, fmt::format("{}: read error", path)};
  return table;
}

}  // namespace kith::python
