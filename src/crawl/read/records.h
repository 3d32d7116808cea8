// Record heads of WARC and ARC files. Pure functions over bytes in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/dates.h"

namespace kith::crawl {

// No such place.
inline constexpr size_t kNpos = std::string_view::npos;

enum class ArchiveFormat : uint8_t { warc, arc };

// What a record holds, as far as kith is concerned.
enum class RecordKind : uint8_t {
  http,  // an HTTP response: head and body
  body,  // the body itself, its media type in the record's head: resource, conversion (WET)
  // A response over HTTP with the media type of its body: the body itself, unless it begins with
  // an HTTP head.
  bare_response,
  wat,      // metadata as JSON: what an HTML page says in its head, and its links
  revisit,  // a capture whose payload is that of another one; perhaps an HTTP head
  other,    // nothing that could be a page
};

struct RecordHead {
  RecordKind kind = RecordKind::other;
  std::string_view url;           // as spelled, without angle brackets; may be empty
  std::string_view content_type;  // of the body, for RecordKind::body and bare_response
  bool converted = false;         // a conversion record: text is UTF-8 unless the type says else
  std::string_view refers_to;     // of a revisit: the URL of the other capture; empty: the same
  std::string_view digest;        // of the payload, as spelled: "sha1:..."; may be empty
  std::string_view identified;    // the media type that the archive has found in the payload
  bool is_cut = false;            // the record says that it holds a part of the payload only
  int64_t time = no_time;         // of the capture (WARC-Date)
  uint64_t length = 0;            // bytes that follow the head
};

// A head of either format is at most this long.
inline constexpr size_t kMaxRecordHead = 64u << 10;

// True when a record begins at the front of `bytes`, of which kRecordClue, or the whole line, must
// be there.
bool begins_record(ArchiveFormat format, std::string_view bytes);

// The length of the record head at the front of `bytes`, line ends included; 0 when no record
// begins here, or the next begins before its head ends; kNpos when the end is not among the bytes.
size_t record_head_length(ArchiveFormat format, std::string_view bytes);

// Reads a head of that length; nothing when its length is missing or no number.
// WARC 0.17 to 1.1 (ISO 28500): version line and named fields. ARC 1 and 2: one line of fields with
// blanks between them, the URL first and the length last; an address or a date ends the URL.
std::optional<RecordHead> parse_record_head(ArchiveFormat format, std::string_view head);

// After damage: the first position behind a line break where a record may begin; kNpos when
// there is none. Position 0 counts when `at_line_start`.
size_t find_record(ArchiveFormat format, std::string_view bytes, bool at_line_start);

// begins_record and find_record must see this many bytes of a line to know it, or the whole line.
inline constexpr size_t kRecordClue = 9;

}  // namespace kith::crawl
