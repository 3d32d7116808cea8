#include "crawl/read/row_fields.h"

#include <algorithm>
#include <initializer_list>
#include <utility>

#include "base/bytes.h"
#include "base/check.h"
#include "base/json_walk.h"

namespace kith::crawl {

std::string_view row_part_name(RowPart part) {
  return word_of(part, {"text", "html", "title", "url", "id", "time"});
}

RowFields::RowFields(const ReadOptions& options, bool has_notes, std::vector<std::string> extras)
    : extras_(std::move(extras)) {
  KITH_CHECK(extras_.size() <= max_extras);
  const auto add = [this](std::string_view name, RowPart part) {
    fields_.push_back({std::string(name), part});
  };
  const auto add_given = [this](const std::string& name, RowPart part) {
    if (!name.empty()) fields_.push_back({name, part, true});
  };
  if (options.text_field.empty() && options.html_field.empty()) {
    for (const std::string_view name : {"text", "content", "raw_content"}) add(name, RowPart::text);
    add("html", RowPart::html);
    add("markdown", RowPart::text);
  }
  // Who names both has rows of both kinds, and in a row that has both there is more in the markup.
  add_given(options.html_field, RowPart::html);
  add_given(options.text_field, RowPart::text);
  if (options.url_field.empty() && options.id_field.empty()) {
    for (const std::string_view name : {"url", "warc_target_uri"}) add(name, RowPart::url);
    for (const std::string_view name : {"id", "doc_id"}) add(name, RowPart::id);
  }
  add_given(options.url_field, RowPart::url);
  add_given(options.id_field, RowPart::id);
  if (options.title_field.empty()) add("title", RowPart::title);
  add_given(options.title_field, RowPart::title);
  if (options.time_field.empty() && !has_notes) {
    for (const std::string_view name : {"warc_date", "timestamp", "date"}) add(name, RowPart::time);
  }
  if (options.time_field.empty()) add("time", RowPart::time);
  add_given(options.time_field, RowPart::time);
}

uint8_t RowFields::find(std::string_view name) const {
  const auto found = std::ranges::find(fields_, name, &Field::name);
  return found == fields_.end() ? none : static_cast<uint8_t>(found - fields_.begin());
}

size_t RowFields::find_extra(std::string_view name) const {
  const auto found = std::ranges::find(extras_, name);
  return found == extras_.end() ? max_extras : static_cast<size_t>(found - extras_.begin());
}

bool RowFields::is_in_path(std::string_view name) const {
  const auto leads_to = [&](std::string_view path) {
    return path.size() > name.size() && path[name.size()] == '.' && path.starts_with(name);
  };
  return std::ranges::any_of(fields_, leads_to, &Field::name) ||
         std::ranges::any_of(extras_, leads_to);
}

void append_extras(const ExtraValues& values, size_t count, std::string& bytes) {
  for (const std::string_view value : std::span(values).first(count)) {
    append_varint(bytes, value.data() == nullptr ? 0 : value.size() + 1);
    bytes += value;
  }
}

ExtraValues extras_of(std::string_view bytes) {
  ExtraValues values{};
  Cursor cursor(bytes);
  for (size_t i = 0; i < values.size() && !cursor.at_end(); ++i) {
    const uint64_t size = cursor.varint();
    if (size > 0) values[i] = cursor.take(size - 1);
  }
  return values;
}

}  // namespace kith::crawl
