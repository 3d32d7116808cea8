// Which fields of a row of JSON lines, CSV or a table are read, and as what.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kith/options.h"

namespace kith::crawl {

enum class RowPart : uint8_t { text, html, title, url, id, time, count_ };
std::string_view row_part_name(RowPart part);  // "text", ...

// The fields by their numbers. Of those that can be the body of a page (text, html), its URL, its
// id or its time a row is read by the one of the lowest number that it has.
class RowFields {
 public:
  static constexpr size_t max_fields = 14;
  static constexpr uint8_t none = max_fields;
  static constexpr size_t max_extras = 8;

  // By names; where a part has none, the usual ones. With a name for one of text and html, or of
  // url and id, the usual ones of the other do not count.
  // has_notes: of streams, whose usual name of a time is "time" alone.
  // extras: other fields whose values are handed on as they stand (Page::extras), max_extras at
  // most; they may be among those above, too.
  RowFields() : RowFields(ReadOptions()) {}
  explicit RowFields(const ReadOptions& options, bool has_notes = false,
                     std::vector<std::string> extras = {});

  struct Field {
    std::string name;  // of a nested field the path to it, with dots
    RowPart part;
    bool is_given = false;  // by the user
  };
  const std::vector<Field>& all() const { return fields_; }

  // The number of the field of this name, or none.
  uint8_t find(std::string_view name) const;

  const std::vector<std::string>& extras() const { return extras_; }
  // The number of the extra of this name, or max_extras.
  size_t find_extra(std::string_view name) const;

  // Whether it holds the body of a page: text or markup.
  bool is_body(uint8_t field) const {
    return field != none &&
           (fields_[field].part == RowPart::text || fields_[field].part == RowPart::html);
  }

  // Whether the fields in this one are to be looked at.
  bool is_in_path(std::string_view name) const;

 private:
  std::vector<Field> fields_;
  std::vector<std::string> extras_;
};

// The values of the extras of a row; without data where the row has none, or null.
using ExtraValues = std::array<std::string_view, RowFields::max_extras>;

// The values of so many extras as bytes, and back: views of the bytes.
void append_extras(const ExtraValues& values, size_t count, std::string& bytes);
ExtraValues extras_of(std::string_view bytes);

// Fields by their numbers, and at last place what has none: of ids and URLs.
using FieldCounts = std::array<uint64_t, RowFields::max_fields + 1>;

}  // namespace kith::crawl
