#include "kith/rows.h"

#include <iterator>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kith/escape.h"

#include "base/enum_words.h"

namespace kith {
namespace {

std::string words_json(std::span<const std::string> words) {
  std::string list;
  for (const std::string& word : words) list += (list.empty() ? "" : ",") + json_string(word);
  return "[" + list + "]";
}

// Writes a field behind what is there.
struct FieldWriter {
  std::string& out;
  bool is_json;

  void operator()(std::string_view text) const {
    out += is_json ? json_string(text) : tsv_field(text);
  }
  void operator()(std::span<const std::string> words) const {
    out += is_json ? words_json(words) : tsv_field(fmt::format("{}", fmt::join(words, ", ")));
  }
  void operator()(uint64_t count) const { fmt::format_to(std::back_inserter(out), "{}", count); }
  void operator()(bool value) const { out += value ? "true" : "false"; }
  void operator()(double share) const { fmt::format_to(std::back_inserter(out), "{:.6f}", share); }
};

}  // namespace

std::string_view name(ListFormat value) {
  return word_of(value, {"tsv", "jsonl"});
}

std::string RowFormat::header() const {
  return format_ == ListFormat::tsv ? fmt::format("{}\n", fmt::join(columns_, "\t")) : "";
}

void RowFormat::append(std::string& out, std::initializer_list<RowField> fields) const {
  const bool is_json = format_ == ListFormat::jsonl;
  size_t column = 0;
  for (const RowField& field : fields) {
    if (is_json) {
      out += column == 0 ? "{" : ",";
      fmt::format_to(std::back_inserter(out), "\"{}\":", columns_[column]);
    } else if (column > 0) {
      out += '\t';
    }
    std::visit(FieldWriter{out, is_json}, field);
    ++column;
  }
  out += is_json ? "}\n" : "\n";
}

}  // namespace kith
