#include "crawl/read/records.h"

#include <algorithm>
#include <charconv>
#include <span>
#include <vector>

#include "base/bytes.h"
#include "crawl/read/http.h"

namespace kith::crawl {
namespace {

// "WARC/1.0", "WARC/0.18", in any case
bool starts_warc(std::string_view bytes) {
  return bytes.size() >= 8 && starts_with_ignoring_case(bytes, "WARC/") &&
         is_ascii_digit(bytes[5]) && bytes[6] == '.' && is_ascii_digit(bytes[7]);
}

// As record_head_length. A head ends at the first line that begins a record: otherwise a file of
// version lines would cost the longest head for each.
size_t warc_head_length(std::string_view bytes) {
  if (!starts_warc(bytes)) return 0;
  for (size_t at = bytes.find('\n'); at != kNpos; at = bytes.find('\n', at)) {
    const std::string_view rest = bytes.substr(++at);
    if (const size_t end = empty_line_length(rest); end > 0) return at + end;
    if (starts_warc(rest)) return 0;
  }
  return kNpos;
}

// The version block or a record of a page; records of other schemes (dns:) only follow those.
bool starts_arc(std::string_view bytes) {
  return bytes.starts_with("http://") || bytes.starts_with("https://") ||
         bytes.starts_with("filedesc:") || bytes.starts_with("dns:");
}

std::string_view without_brackets(std::string_view url) {
  if (url.size() >= 2 && url.front() == '<' && url.back() == '>') {
    return url.substr(1, url.size() - 2);
  }
  return url;
}

RecordKind warc_kind(std::string_view type, std::string_view content_type, std::string_view url) {
  const std::string_view essence = parse_media_type(content_type).essence;
  if (equals_ignoring_case(type, "conversion")) return RecordKind::body;
  if (equals_ignoring_case(type, "metadata")) {
    return equals_ignoring_case(essence, "application/json") ? RecordKind::wat : RecordKind::other;
  }
  if (equals_ignoring_case(type, "revisit")) {
    return starts_with_ignoring_case(url, "http") ? RecordKind::revisit : RecordKind::other;
  }
  const bool is_response = equals_ignoring_case(type, "response");
  if (!is_response && !equals_ignoring_case(type, "resource")) return RecordKind::other;
  if (equals_ignoring_case(essence, "application/http")) return RecordKind::http;
  if (!is_response) return RecordKind::body;
  // A response without a type is one of HTTP; of another protocol (dns:) it is no page.
  if (essence.empty()) return RecordKind::http;
  return starts_with_ignoring_case(url, "http") ? RecordKind::bare_response : RecordKind::other;
}

std::optional<RecordHead> parse_warc(std::string_view head) {
  RecordHead record;
  std::string_view type;
  std::optional<uint64_t> length;
  take_line(head);
  HeaderFields fields(head);
  while (const std::optional<HeaderField> field = fields.next()) {
    if (equals_ignoring_case(field->name, "WARC-Type")) {
      type = field->value;
    } else if (equals_ignoring_case(field->name, "WARC-Target-URI")) {
      record.url = without_brackets(field->value);
    } else if (equals_ignoring_case(field->name, "Content-Type")) {
      record.content_type = field->value;
    } else if (equals_ignoring_case(field->name, "Content-Length")) {
      length = parse_decimal(field->value);
    } else if (equals_ignoring_case(field->name, "WARC-Identified-Payload-Type")) {
      record.identified = field->value;
    } else if (equals_ignoring_case(field->name, "WARC-Payload-Digest")) {
      record.digest = field->value;
    } else if (equals_ignoring_case(field->name, "WARC-Refers-To-Target-URI")) {
      record.refers_to = without_brackets(field->value);
    } else if (equals_ignoring_case(field->name, "WARC-Date")) {
      record.time = parse_date(field->value).value_or(no_time);
    } else if (equals_ignoring_case(field->name, "WARC-Truncated") ||
               equals_ignoring_case(field->name, "WARC-Segment-Number")) {
      record.is_cut = true;
    }
  }
  if (!length) return std::nullopt;
  record.length = *length;
  record.kind = warc_kind(type, record.content_type, record.url);
  record.converted = equals_ignoring_case(type, "conversion");
  return record;
}

constexpr std::string_view kFieldBlanks = " \t";

std::vector<std::string_view> split_fields(std::string_view line) {
  std::vector<std::string_view> fields;
  for (size_t at = line.find_first_not_of(kFieldBlanks); at != kNpos;
       at = line.find_first_not_of(kFieldBlanks, at)) {
    const size_t end = std::min(line.find_first_of(kFieldBlanks, at), line.size());
    fields.push_back(line.substr(at, end - at));
    at = end;
  }
  return fields;
}

bool is_ipv4(std::string_view text) {
  if (text.size() < 7 || text.size() > 15 || std::ranges::count(text, '.') != 3) return false;
  return text.find_first_not_of("0123456789.") == kNpos && text.front() != '.' &&
         text.back() != '.' && text.find("..") == kNpos;
}

bool is_ipv6(std::string_view text) {
  if (text.size() > 2 && text.front() == '[' && text.back() == ']') {
    text = text.substr(1, text.size() - 2);
  }
  return std::ranges::count(text, ':') >= 2 &&
         text.find_first_not_of("0123456789abcdefABCDEF.:") == kNpos;
}

bool is_address(std::string_view text) {
  return is_ipv4(text) || is_ipv6(text);
}

// "20120516020333", with fewer digits or more, or with letters behind them; "2012-05-16T02:03:33Z".
bool is_date(std::string_view text) {
  if (text.size() < 8 || !(text.starts_with("19") || text.starts_with("20"))) return false;
  const auto digits = [&](size_t from, size_t n) {
    return text.size() >= from + n &&
           std::ranges::all_of(text.substr(from, n), [](char c) { return is_ascii_digit(c); });
  };
  return digits(0, 8) ||
         (digits(0, 4) && text[4] == '-' && digits(5, 2) && text[7] == '-' && digits(8, 2));
}

// Which field of an ARC head stands behind the URL: the address, or the date where they are
// exchanged or the address is missing. Fields before it belong to the URL, which may hold blanks.
// 0 where there is neither an address nor a date.
size_t field_behind_url(std::span<const std::string_view> fields) {
  const size_t last = fields.size() - 1;  // the length
  size_t address = 0;
  for (size_t i = 1; i < last; ++i) {
    if (!is_address(fields[i])) continue;
    if (address == 0) address = i;
    if (i + 1 < last && is_date(fields[i + 1])) return i;
  }
  if (address > 0) return address > 1 && is_date(fields[address - 1]) ? address - 1 : address;
  for (size_t i = 1; i < last; ++i) {
    // What stands in the place of the address is "None", "-" or a name.
    if (is_date(fields[i])) return i > 1 ? i - 1 : i;
  }
  return 0;
}

// Of the date among the fields behind the URL.
int64_t time_of(std::span<const std::string_view> fields) {
  const auto date = std::ranges::find_if(fields, is_date);
  if (date == fields.end()) return no_time;
  const auto time = parse_digits(*date);
  return (time ? time : parse_date(*date)).value_or(no_time);
}

// "URL address date type length", in version 2 with more fields before the length. The URL ends
// where the address or the date begins, and the length stands last; all else may be odd or missing,
// as it is in archives.
std::optional<RecordHead> parse_arc(std::string_view head) {
  const std::string_view line = trim(take_line(head));
  const std::vector<std::string_view> fields = split_fields(line);
  if (fields.size() < 3) return std::nullopt;
  const std::optional<uint64_t> length = parse_decimal(fields.back());
  const size_t behind = field_behind_url(fields);
  if (!length || behind == 0) return std::nullopt;
  const std::string_view last = fields[behind - 1];
  RecordHead record;
  record.length = *length;
  record.url = line.substr(0, static_cast<size_t>(last.data() + last.size() - line.data()));
  record.kind = line.starts_with("http") ? RecordKind::http : RecordKind::other;
  record.time = time_of(std::span(fields).subspan(behind, fields.size() - 1 - behind));
  return record;
}

}  // namespace

bool begins_record(ArchiveFormat format, std::string_view bytes) {
  return format == ArchiveFormat::warc ? starts_warc(bytes) : starts_arc(bytes);
}

size_t record_head_length(ArchiveFormat format, std::string_view bytes) {
  if (format == ArchiveFormat::warc) return warc_head_length(bytes);
  if (!starts_arc(bytes)) return 0;
  const size_t end = bytes.find('\n');
  return end == kNpos ? kNpos : end + 1;
}

std::optional<RecordHead> parse_record_head(ArchiveFormat format, std::string_view head) {
  return format == ArchiveFormat::warc ? parse_warc(head) : parse_arc(head);
}

size_t find_record(ArchiveFormat format, std::string_view bytes, bool at_line_start) {
  for (size_t at = 0;; at_line_start = true) {
    if (at_line_start && begins_record(format, bytes.substr(at))) return at;
    at = bytes.find('\n', at);
    if (at == kNpos) return kNpos;
    ++at;
  }
}

}  // namespace kith::crawl
