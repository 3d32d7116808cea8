#include "kith/rows.h"

#include <cstdint>
#include <iterator>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kith/table_files.h"

#include "base/bytes.h"
#include "base/json_walk.h"

namespace kith {
namespace {

std::string words_json(std::span<const std::string> words) {
  std::string list;
  for (const std::string& word : words) list += (list.empty() ? "" : ",") + json_string(word);
  return "[" + list + "]";
}

constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

bool is_csv(ListFormat format) {
  return format == ListFormat::csv || format == ListFormat::csv_bom;
}

bool is_json(ListFormat format) {
  return format == ListFormat::jsonl || is_table(format);
}

// Writes a field after what is there.
struct FieldWriter {
  std::string& out;
  ListFormat format;

  void operator()(std::string_view text) const {
    if (is_json(format)) {
      out += json_string(text);
    } else {
      out += is_csv(format) ? csv_field(text) : tsv_field(text);
    }
  }
  void operator()(std::span<const std::string> words) const {
    if (is_json(format)) {
      out += words_json(words);
    } else {
      (*this)(fmt::format("{}", fmt::join(words, ", ")));
    }
  }
  void operator()(uint64_t count) const {
    if (count < 10) {
      out += static_cast<char>('0' + count);
    } else {
      fmt::format_to(std::back_inserter(out), "{}", count);
    }
  }
  void operator()(bool value) const { out += value ? "true" : "false"; }
  void operator()(double share) const {
    // Most similarities and weights.
    if (share == 1) {
      out += "1.000000";
    } else {
      fmt::format_to(std::back_inserter(out), "{:.6f}", share);
    }
  }
};

}  // namespace

std::string_view name(ListFormat value) {
  return word_of(value, {"tsv", "csv", "csv-bom", "jsonl", "parquet", "arrow"});
}

std::string_view name(RowColumn::Type value) {
  return word_of(value, {"text", "words", "count", "share", "boolean"});
}

bool is_table(ListFormat format) {
  return format == ListFormat::parquet || format == ListFormat::arrow;
}

std::string_view extension(ListFormat value) {
  return is_csv(value) ? "csv" : name(value);
}

Result<std::unique_ptr<ListFile>> TableFiles::create(const RowFormat& format,
                                                     const WriteBytes& /*write*/) {
  return create_list_file(nullptr, format, {});
}

Result<std::unique_ptr<ListFile>> create_list_file(TableFiles* tables, const RowFormat& format,
                                                   const WriteBytes& write) {
  if (tables != nullptr) return tables->create(format, write);
  return Error{
      ErrorKind::usage,
      fmt::format("--format {}: this program makes no such files, the 'kith' of the Python "
                  "package does: pip install 'kith-web[parquet]'; jsonl has the same rows",
                  name(format.format()))};
}

std::string RowFormat::header() const {
  if (is_json(format_)) return "";
  std::string names;
  for (const RowColumn& column : columns_) {
    if (!names.empty()) names += is_csv(format_) ? ',' : '\t';
    names += column.name;
  }
  return fmt::format("{}{}\n", format_ == ListFormat::csv_bom ? byte_order_mark : "", names);
}

void RowFormat::append(std::string& out, std::initializer_list<RowField> fields) const {
  const bool has_names = is_json(format_);
  size_t column = 0;
  for (const RowField& field : fields) {
    if (has_names) {
      out += column == 0 ? "{" : ",";
      fmt::format_to(std::back_inserter(out), "\"{}\":", columns_[column].name);
    } else if (column > 0) {
      out += is_csv(format_) ? ',' : '\t';
    }
    std::visit(FieldWriter{out, format_}, field);
    ++column;
  }
  out += has_names ? "}\n" : "\n";
}

namespace {

// What stands at the beginning of a text: a character, or one byte that is not UTF-8.
struct Unit {
  uint32_t code = 0;  // the code point, or the byte
  size_t size = 1;    // bytes
  bool is_utf8 = true;
};

// The Unicode Standard, table 3-7: well-formed sequences of bytes.
Unit unit_at(std::string_view text, size_t at) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[at + i]); };
  const uint32_t lead = byte(0);
  if (lead < 0x80) return {lead, 1, true};
  const size_t size = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  const Unit stray{lead, 1, false};
  if (lead < 0xc2 || lead > 0xf4 || text.size() - at < size) return stray;
  uint32_t code = lead & (0xffu >> (size + 1));
  for (size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return stray;
    code = code << 6 | (byte(i) & 0x3f);
  }
  const bool is_overlong = (size == 3 && code < 0x800) || (size == 4 && code < 0x10000);
  const bool is_surrogate = code >= 0xd800 && code < 0xe000;
  if (is_overlong || is_surrogate || code > 0x10ffff) return stray;
  return {code, size, true};
}

bool is_escaped(uint32_t code) {
  return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x61c || code == 0x200e ||
         code == 0x200f || (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}

// Most text is printable ASCII, of which only the quotes and the backslash mean something anywhere.
bool is_plain(char c) {
  return c >= 0x20 && c < 0x7f && c != '\\' && c != '"';
}

// `append(out, unit, bytes)` writes every unit that is not plain.
template <class Append>
std::string rewritten(std::string_view text, const Append& append) {
  std::string out;
  out.reserve(text.size() + 2);
  for (size_t at = 0; at < text.size();) {
    size_t end = at;
    while (end < text.size() && is_plain(text[end])) ++end;
    out.append(text.substr(at, end - at));
    at = end;
    if (at == text.size()) break;
    const Unit unit = unit_at(text, at);
    append(out, unit, text.substr(at, unit.size));
    at += unit.size;
  }
  return out;
}

void append_field(std::string& out, const Unit& unit, std::string_view bytes) {
  if (unit.is_utf8 && unit.code == '\t') {
    out += "\\t";
  } else if (unit.is_utf8 && unit.code == '\n') {
    out += "\\n";
  } else if (unit.is_utf8 && unit.code == '\r') {
    out += "\\r";
  } else if (!unit.is_utf8 || (unit.code < 0x80 && is_escaped(unit.code))) {
    fmt::format_to(std::back_inserter(out), "\\x{:02X}", unit.code);
  } else if (is_escaped(unit.code)) {
    fmt::format_to(std::back_inserter(out), "\\u{{{:X}}}", unit.code);
  } else {
    out += bytes;
  }
}

void append_json(std::string& out, const Unit& unit, std::string_view bytes) {
  if (!unit.is_utf8) {
    out += utf8_replacement;
  } else if (unit.code == '\n') {
    out += "\\n";
  } else if (unit.code == '\t') {
    out += "\\t";
  } else if (unit.code == '\r') {
    out += "\\r";
  } else if (is_escaped(unit.code)) {
    fmt::format_to(std::back_inserter(out), "\\u{:04x}", unit.code);
  } else {
    if (unit.code == '"' || unit.code == '\\') out += '\\';
    out += bytes;
  }
}

}  // namespace

std::string tsv_field(std::string_view text) {
  return rewritten(text, [](std::string& out, const Unit& unit, std::string_view bytes) {
    if (unit.is_utf8 && unit.code == '\\') out += '\\';
    append_field(out, unit, bytes);
  });
}

std::string printable(std::string_view text) {
  return rewritten(text, append_field);
}

std::string csv_field(std::string_view text) {
  std::string field = printable(text);
  if (field.find_first_of(",\"") == std::string::npos) return field;
  for (size_t at = 0; (at = field.find('"', at)) != std::string::npos; at += 2) {
    field.insert(at, 1, '"');
  }
  return '"' + field + '"';
}

std::string json_string(std::string_view text) {
  return '"' + rewritten(text, append_json) + '"';
}

std::string escaped_json(std::string_view json) {
  return rewritten(json, [](std::string& out, const Unit& unit, std::string_view bytes) {
    // Outside of ASCII there are only strings; blanks, quotes and escapes stay as they are.
    if (unit.is_utf8 && unit.code < 0x7f) {
      out += bytes;
    } else {
      append_json(out, unit, bytes);
    }
  });
}

}  // namespace kith
