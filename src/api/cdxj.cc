// kith::cdxj_line: a page as Wayback machines find it.
#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "kith/pages.h"
#include "kith/rows.h"

#include "base/bytes.h"
#include "text/url/cdx_key.h"

namespace kith {
namespace {

// "2026-11-24T12:00:00Z" without all but the digits, to the second.
std::string timestamp_of(std::string_view date) {
  constexpr size_t to_the_second = 19;
  std::string digits;
  std::ranges::copy_if(date.substr(0, to_the_second), std::back_inserter(digits), is_ascii_digit);
  return digits;
}

void append_field(std::string& fields, std::string_view name, std::string_view value) {
  if (value.empty()) return;
  fields += fmt::format("{}\"{}\": {}", fields.empty() ? "" : ", ", name, json_string(value));
}

// Indexes name SHA-1 by nothing, and other digests by their names.
std::string_view digest_of(const PageRow& row) {
  constexpr std::string_view sha1 = "sha1:";
  return row.digest.starts_with(sha1) ? row.digest.substr(sha1.size()) : row.digest;
}

}  // namespace

Result<std::string> cdxj_line(const PageRow& row) {
  if (row.length == 0) {
    return Error{
        ErrorKind::usage,
        fmt::format("{}: an index is of WARC and ARC files, plain or with a gzip member or "
                    "zstd frame for each record; others are not read by place",
                    printable(row.file))};
  }
  if (row.date.empty()) {
    return Error{ErrorKind::usage, fmt::format("{}: the record at byte {} has no date, by which an "
                                               "index finds it",
                                               printable(row.file), row.offset)};
  }
  std::string fields;
  append_field(fields, "url", row.spelled);
  append_field(fields, "mime", row.type);
  if (row.status != 0) append_field(fields, "status", fmt::format("{}", row.status));
  append_field(fields, "digest", digest_of(row));
  append_field(fields, "length", fmt::format("{}", row.length));
  append_field(fields, "offset", fmt::format("{}", row.offset));
  append_field(fields, "filename", row.file.substr(row.file.rfind('/') + 1));
  return fmt::format("{} {} {{{}}}", text::cdx_key(row.url), timestamp_of(row.date), fields);
}

}  // namespace kith
