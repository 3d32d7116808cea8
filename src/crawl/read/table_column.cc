#include "crawl/read/table_column.h"

#include <array>
#include <cstring>

#include <fmt/format.h>

namespace kith::crawl {
namespace {

using namespace std::string_view_literals;

template <class Value>
const Value* values_of(const ArrowArray& array, int buffer = 1) {
  return static_cast<const Value*>(array.buffers[buffer]);
}

template <class Offset>
std::string_view text_between(const ArrowArray& array, size_t at, std::string& /*buffer*/) {
  const auto* const offsets = values_of<Offset>(array);
  return {values_of<char>(array, 2) + offsets[at],
          static_cast<size_t>(offsets[at + 1] - offsets[at])};
}

// A string of 16 bytes in a column of views: its length, then its bytes, or where they are
// (arrow.apache.org/docs/format/Columnar.html, "Variable-size Binary View Layout").
std::string_view text_view(const ArrowArray& array, size_t at, std::string& /*buffer*/) {
  constexpr size_t size_of_view = 16;
  constexpr int32_t most_inline = 12;
  const char* const view = values_of<char>(array) + at * size_of_view;
  std::array<int32_t, 4> parts{};
  std::memcpy(parts.data(), view, size_of_view);
  const auto length = static_cast<size_t>(parts[0]);
  if (parts[0] <= most_inline) return {view + 4, length};
  return {values_of<char>(array, 2 + parts[2]) + parts[3], length};
}

template <class Number>
std::string_view number(const ArrowArray& array, size_t at, std::string& buffer) {
  buffer = fmt::format("{}", values_of<Number>(array)[at]);
  return buffer;
}

// Seconds since 1970, of so many units each.
template <class Number, int64_t units>
std::string_view seconds(const ArrowArray& array, size_t at, std::string& buffer) {
  buffer = fmt::format(
      "{:.3f}", static_cast<double>(values_of<Number>(array)[at]) / static_cast<double>(units));
  return buffer;
}

std::string_view days(const ArrowArray& array, size_t at, std::string& buffer) {
  constexpr int64_t seconds_of_day = 86400;
  buffer = fmt::format("{}", values_of<int32_t>(array)[at] * seconds_of_day);
  return buffer;
}

template <class Number>
uint64_t index(const ArrowArray& array, size_t at) {
  return static_cast<uint64_t>(values_of<Number>(array)[at]);
}

using Read = std::string_view (*)(const ArrowArray& array, size_t at, std::string& buffer);
using Index = uint64_t (*)(const ArrowArray& array, size_t at);

struct Type {
  std::string_view format;  // its beginning
  Read read;
  Index index = nullptr;  // where a dictionary may have it
};

constexpr std::array text_types = {
    Type{"u", text_between<int32_t>},
    Type{"z", text_between<int32_t>},
    Type{"U", text_between<int64_t>},
    Type{"Z", text_between<int64_t>},
    Type{"vu", text_view},
    Type{"vz", text_view},
};

constexpr std::array number_types = {
    Type{"c", number<int8_t>, index<int8_t>},   Type{"C", number<uint8_t>, index<uint8_t>},
    Type{"s", number<int16_t>, index<int16_t>}, Type{"S", number<uint16_t>, index<uint16_t>},
    Type{"i", number<int32_t>, index<int32_t>}, Type{"I", number<uint32_t>, index<uint32_t>},
    Type{"l", number<int64_t>, index<int64_t>}, Type{"L", number<uint64_t>, index<uint64_t>},
};

constexpr std::array real_types = {Type{"f", number<float>}, Type{"g", number<double>}};

constexpr std::array time_types = {
    Type{"tdD", days},
    Type{"tdm", seconds<int64_t, 1'000>},
    Type{"tss:", seconds<int64_t, 1>},
    Type{"tsm:", seconds<int64_t, 1'000>},
    Type{"tsu:", seconds<int64_t, 1'000'000>},
    Type{"tsn:", seconds<int64_t, 1'000'000'000>},
};

const Type* type_in(const auto& types, std::string_view format) {
  for (const Type& type : types) {
    const bool has_zone = type.format.ends_with(':');
    if (has_zone ? format.starts_with(type.format) : format == type.format) return &type;
  }
  return nullptr;
}

bool is_struct(const ArrowSchema& column) {
  return column.format == "+s"sv;
}

void add_names(const ArrowSchema& table, const std::string& prefix, size_t most,
               std::vector<std::string>& names) {
  for (int64_t i = 0; i < table.n_children && names.size() < most; ++i) {
    const ArrowSchema& column = *table.children[i];
    const std::string name = prefix + (column.name == nullptr ? "" : column.name);
    if (is_struct(column)) {
      add_names(column, name + ".", most, names);
    } else {
      names.push_back(name);
    }
  }
}

// The path of children that `name` is; false where there is no such column.
bool find_path(const ArrowSchema& table, std::string_view name, std::vector<int64_t>& path) {
  for (int64_t i = 0; i < table.n_children; ++i) {
    const ArrowSchema& column = *table.children[i];
    const std::string_view own = column.name == nullptr ? "" : column.name;
    path.push_back(i);
    if (own == name) return true;
    if (is_struct(column) && name.size() > own.size() && name.starts_with(own) &&
        name[own.size()] == '.' && find_path(column, name.substr(own.size() + 1), path)) {
      return true;
    }
    path.pop_back();
  }
  return false;
}

const ArrowSchema& column_at(const ArrowSchema& table, const std::vector<int64_t>& path) {
  const ArrowSchema* column = &table;
  for (const int64_t step : path) column = column->children[step];
  return *column;
}

// Formats of types without parameters (arrow.apache.org/docs/format/CDataInterface.html).
constexpr std::array<std::pair<std::string_view, std::string_view>, 24> type_names{{
    {"n", "null"},         {"b", "bool"},
    {"c", "int8"},         {"C", "uint8"},
    {"s", "int16"},        {"S", "uint16"},
    {"i", "int32"},        {"I", "uint32"},
    {"l", "int64"},        {"L", "uint64"},
    {"e", "float16"},      {"f", "float32"},
    {"g", "float64"},      {"u", "string"},
    {"U", "large_string"}, {"z", "binary"},
    {"Z", "large_binary"}, {"+l", "list"},
    {"+L", "large_list"},  {"+s", "struct"},
    {"+m", "map"},         {"+r", "run-end encoded"},
    {"vu", "string_view"}, {"vz", "binary_view"},
}};

}  // namespace

std::string arrow_type(const ArrowSchema& column) {
  const std::string_view format = column.format;
  if (column.dictionary != nullptr) return "dictionary (categorical)";
  for (const auto& [known, name] : type_names) {
    if (known == format) return std::string(name);
  }
  if (format.starts_with("t")) return "date or time";
  if (format.starts_with("d")) return "decimal";
  return fmt::format("with the Arrow format '{}'", format);
}

std::optional<std::string> type_of_column(const ArrowSchema& table, std::string_view name) {
  std::vector<int64_t> path;
  if (!find_path(table, name, path)) return std::nullopt;
  return arrow_type(column_at(table, path));
}

bool is_null_at(const ArrowArray& array, size_t i) {
  const auto* const bits =
      array.n_buffers == 0 ? nullptr : static_cast<const uint8_t*>(array.buffers[0]);
  const size_t at = static_cast<size_t>(array.offset) + i;
  return bits != nullptr && (bits[at / 8] >> (at % 8) & 1) == 0;
}

std::vector<std::string> column_names(const ArrowSchema& table, size_t most) {
  std::vector<std::string> names;
  add_names(table, "", most, names);
  return names;
}

bool TableColumn::set_type(const ArrowSchema& column, bool with_reals) {
  const Type* type = type_in(text_types, column.format);
  is_number_ = type == nullptr;
  if (is_number_) type = type_in(number_types, column.format);
  if (type == nullptr) type = type_in(time_types, column.format);
  if (type == nullptr && with_reals) type = type_in(real_types, column.format);
  if (type != nullptr) read_ = type->read;
  return type != nullptr;
}

std::optional<TableColumn> TableColumn::find(const ArrowSchema& table, std::string_view name,
                                             bool with_reals) {
  TableColumn found;
  if (!find_path(table, name, found.path_)) return std::nullopt;
  const ArrowSchema* column = &column_at(table, found.path_);
  // Of a column of nulls alone every value is null.
  if (column->format == "n"sv) return found;
  if (column->dictionary != nullptr) {
    const Type* const codes = type_in(number_types, column->format);
    if (codes == nullptr || column->dictionary->dictionary != nullptr) return std::nullopt;
    found.index_ = codes->index;
    column = column->dictionary;
  }
  if (!found.set_type(*column, with_reals)) return std::nullopt;
  return found;
}

std::optional<std::string_view> TableColumn::value(const ArrowArray& table, size_t row) {
  if (read_ == nullptr) return std::nullopt;
  const ArrowArray* array = &table;
  for (const int64_t step : path_) {
    if (is_null_at(*array, row)) return std::nullopt;
    row += static_cast<size_t>(array->offset);
    array = array->children[step];
  }
  if (is_null_at(*array, row)) return std::nullopt;
  size_t at = row + static_cast<size_t>(array->offset);
  if (index_ != nullptr) {
    const uint64_t code = index_(*array, at);
    array = array->dictionary;
    if (code >= static_cast<uint64_t>(array->length) || is_null_at(*array, code)) {
      return std::nullopt;
    }
    at = static_cast<size_t>(code) + static_cast<size_t>(array->offset);
  }
  return read_(*array, at, buffer_);
}

}  // namespace kith::crawl
