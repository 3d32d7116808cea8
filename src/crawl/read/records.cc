#include "crawl/read/records.h"

#include "base/ascii.h"
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
    }
  }
  if (!length) return std::nullopt;
  record.length = *length;
  record.kind = warc_kind(type, record.content_type, record.url);
  record.converted = equals_ignoring_case(type, "conversion");
  return record;
}

// Cuts the last blank-separated field off `line`.
std::string_view take_last_field(std::string_view& line) {
  const size_t blank = line.rfind(' ');
  if (blank == kNpos) return {};
  const std::string_view field = line.substr(blank + 1);
  line.remove_suffix(line.size() - blank);
  return field;
}

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == kNpos;
}

// "URL IP date type length". The URL may hold blanks, so the fields are taken from the right.
std::optional<RecordHead> parse_arc(std::string_view head) {
  std::string_view line = take_line(head);
  RecordHead record;
  const std::optional<uint64_t> length = parse_decimal(take_last_field(line));
  record.content_type = take_last_field(line);
  const std::string_view date = take_last_field(line);
  const std::string_view address = take_last_field(line);
  const bool is_address =
      !address.empty() && address.find_first_not_of("0123456789abcdefABCDEF.:") == kNpos;
  if (!length || !is_number(date) || !is_address || line.empty()) return std::nullopt;
  record.length = *length;
  record.url = line;
  record.kind = line.starts_with("http") ? RecordKind::http : RecordKind::other;
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
