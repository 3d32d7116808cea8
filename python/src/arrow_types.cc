#include "arrow_types.h"

#include <array>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace kith::python {
namespace {

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

std::string type_of(const ArrowSchema& column) {
  const std::string_view format = column.format;
  if (column.dictionary != nullptr) return "dictionary (categorical)";
  for (const auto& [known, name] : type_names) {
    if (known == format) return std::string(name);
  }
  if (format.starts_with("t")) return "date or time";
  if (format.starts_with("d")) return "decimal";
  return fmt::format("with the Arrow format '{}'", format);
}

}  // namespace kith::python
