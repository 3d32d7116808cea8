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

  // By names; where a part has none, the usual ones. With a name for one of text and html, or of
  // url and id, the usual ones of the other do not count.
  // has_notes: of streams, whose usual name of a time is "time" alone.
  RowFields() : RowFields(ReadOptions()) {}
  explicit RowFields(const ReadOptions& options, bool has_notes = false);

  struct Field {
    std::string name;  // of a nested field the path to it, with dots
    RowPart part;
    bool is_given = false;  // by the user
  };
  const std::vector<Field>& all() const { return fields_; }

  // The number of the field of this name, or none.
  uint8_t find(std::string_view name) const;

  // Whether it holds the body of a page: text or markup.
  bool is_body(uint8_t field) const {
    return field != none &&
           (fields_[field].part == RowPart::text || fields_[field].part == RowPart::html);
  }

  // Whether the fields in this one are to be looked at.
  bool is_in_path(std::string_view name) const;

 private:
  std::vector<Field> fields_;
};

// Fields by their numbers, and at last place what has none: of ids and URLs.
using FieldCounts = std::array<uint64_t, RowFields::max_fields + 1>;

}  // namespace kith::crawl
