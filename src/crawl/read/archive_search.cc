// Where the next record begins, also where lengths and members are wrong or bytes are damaged.
#include <algorithm>
#include <limits>

#include "crawl/read/byte_source.h"
#include "crawl/read/input_reader.h"

namespace kith::crawl {
namespace {

// What may be searched for swallowed records even in a small file.
constexpr uint64_t kReadAgain = 16u << 20;
constexpr std::string_view kShorterThanSaid = "the record is shorter than its length says";

}  // namespace

void cut_to(Slice& body, uint64_t size, Arena& raw) {
  body.size = static_cast<size_t>(std::min<uint64_t>(body.size, size));
  const std::string_view bytes = raw.view(body);
  body.size = std::min(bytes.find_last_not_of("\r\n") + 1, bytes.size());
  raw.cut_back(body.offset + body.size);
}

// Lets the current record, at whose content the reader stands, end at the next one where its length
// reaches over the end. False where the reader has lost that content in search of the next one.
Result<bool> ArchiveReader::shorten_if_endless(BatchBuilder& batch) {
  const std::optional<uint64_t> end = stream_.known_end() ? stream_.known_end() : seen_end_;
  if (!end || rest_ <= *end - content_) return true;
  // Its length is wrong, unless the file was cut: then no record begins in what is left.
  KITH_ASSIGN(const bool is_wrong, search_sound_head(*end));
  if (is_wrong) shorten_record(batch);
  if (!stream_.can_seek(content_)) {  // too many members have begun since then
    if (!is_wrong) count_damage(batch);
    return false;
  }
  KITH_TRY(stream_.seek(content_));
  return true;
}

// Moves to the first byte that is no line break; false at the end of the segment.
Result<bool> ArchiveReader::skip_line_breaks() {
  for (;;) {
    const std::string_view window = stream_.window();
    const size_t breaks = std::min(window.find_first_not_of("\r\n"), window.size());
    stream_.consume(breaks);
    if (breaks < window.size()) return true;
    KITH_ASSIGN(const bool more, stream_.fill());
    if (!more) return false;
  }
}

// The length of the record head at hand, as record_head_length gives it.
Result<size_t> ArchiveReader::find_head() {
  for (size_t want = kRecordClue;;) {
    KITH_ASSIGN(const std::string_view window, stream_.need(want));
    const size_t length = record_head_length(format_, window.substr(0, kMaxRecordHead));
    if (length != kNpos || window.size() < want || window.size() >= kMaxRecordHead) return length;
    // Twice as much, since the head is looked at from its beginning again.
    want = std::min(2 * window.size(), kMaxRecordHead);
  }
}

// No record stands here: counts that once, and moves to where the next may begin.
Status ArchiveReader::lose_way(BatchBuilder& batch, std::string_view reason) {
  if (!lost_) {
    batch.skip(Skip::damaged, place_, reason);
    lost_ = true;
    KITH_ASSIGN(const bool is_near, search_nearby());
    if (is_near) return Status::ok();
  }
  // The read position is where the attempt failed.
  KITH_ASSIGN(const bool found, search_record(false, std::numeric_limits<uint64_t>::max()));
  counted_ = counted_ || !found;
  return Status::ok();
}

// Moves to a sound head that stands behind some other bytes, without a line break between them;
// false where there is none near.
Result<bool> ArchiveReader::search_nearby() {
  constexpr size_t near = 4096;
  constexpr std::string_view version = "WARC/";
  if (format_ != ArchiveFormat::warc) return false;
  KITH_ASSIGN(std::string_view window, stream_.need(near));
  window = window.substr(0, std::min<uint64_t>(window.size(), stream_.until_next_member()));
  for (size_t at = window.find(version, 1); at < std::min(window.size(), near);
       at = window.find(version, at + 1)) {
    const std::string_view bytes = window.substr(at, kMaxRecordHead);
    const size_t length = record_head_length(format_, bytes);
    if (length == 0 || length == kNpos) continue;
    if (!parse_record_head(format_, bytes.substr(0, length))) continue;
    stream_.consume(at);
    return true;
  }
  return false;
}

// Moves to the next line that begins a record; false where none begins before `end`, a position,
// or the end of the segment: then the position has moved as far, or somewhat further.
Result<bool> ArchiveReader::search_record(bool at_line_start, uint64_t end) {
  while (stream_.position() < end) {
    const std::string_view window = stream_.window();
    const size_t member = std::min(stream_.until_next_member(), window.size());
    const size_t clue = member + kRecordClue;  // of one that begins in this member
    const size_t at = find_record(format_, window.substr(0, clue), at_line_start);
    if (at < member) {
      stream_.consume(at);
      return stream_.position() < end;
    }
    if (clue <= window.size()) {
      stream_.consume(member);
      at_line_start = true;
      continue;
    }
    // The last bytes may begin a line that is a record.
    stream_.consume(window.size() - std::min(window.size(), kRecordClue + 1));
    at_line_start = at_line_start && stream_.window().size() == window.size();
    KITH_ASSIGN(const bool more, stream_.fill());
    if (!more) {
      stream_.consume(stream_.window().size());
      return false;
    }
  }
  return false;
}

// The same for a record whose head names a length: text may speak of WARC. Begins at a line.
Result<bool> ArchiveReader::search_sound_head(uint64_t end) {
  for (bool at_line_start = true;; at_line_start = false) {
    KITH_ASSIGN(const bool found, search_record(at_line_start, end));
    if (!found) return false;
    KITH_ASSIGN(const size_t length, find_head());
    if (length == 0 || length == kNpos) continue;
    if (parse_record_head(format_, stream_.window().substr(0, length))) return true;
  }
}

// Whether something else than a record stands behind the current one.
Result<bool> ArchiveReader::misses_next() {
  KITH_ASSIGN(const bool any, skip_line_breaks());
  if (!any) return false;
  KITH_ASSIGN(const std::string_view window, stream_.need(kRecordClue));
  return !begins_record(format_, window);
}

// Of the current record, which is complete or was read to where the stream ends: whether its length
// is too large, so that a record begins in it and none behind it. Then the position is that of the
// next record, otherwise it is left. Unknown where the stream cannot go back so far, and when the
// wrong lengths of a file have made it read all twice more.
Result<ArchiveReader::Swallowed> ArchiveReader::find_swallowed(bool is_complete) {
  if (is_complete) {
    KITH_ASSIGN(const bool misses, misses_next());
    if (!misses) return Swallowed::nothing;
  }
  const bool is_at_end = !is_complete && stream_.window().empty();
  // One that ends with the file was looked at beforehand, where the end is known.
  if (is_at_end && (stream_.known_end() || seen_end_)) return Swallowed::nothing;
  const uint64_t end = stream_.position();
  if (!stream_.can_seek(content_)) return Swallowed::unknown;
  if (read_again_ + (end - content_) > 2 * end + kReadAgain) return Swallowed::unknown;
  read_again_ += end - content_;
  KITH_TRY(stream_.seek(content_));
  KITH_ASSIGN(const bool found, search_sound_head(end));
  if (found) {
    if (is_at_end) seen_end_ = end;
    return Swallowed::next;
  }
  if (stream_.can_seek(end)) KITH_TRY(stream_.seek(end));
  return Swallowed::nothing;
}

// Where the stream cannot go back: lets a body end at the first record that begins in it, which is
// lost; false where none does.
bool ArchiveReader::end_at_a_record(Slice& body, Arena& raw) {
  const std::string_view bytes = raw.view(body);
  for (size_t at = 0;;) {
    const size_t found = find_record(format_, bytes.substr(at), false);
    if (found == kNpos) return false;
    at += found;
    const std::string_view rest = bytes.substr(at, kMaxRecordHead);
    const size_t length = record_head_length(format_, rest);
    if (length == 0 || length == kNpos) continue;
    if (!parse_record_head(format_, rest.substr(0, length))) continue;
    cut_to(body, at, raw);
    return true;
  }
}

// Whether the current record, which ends too early, does so for the reason that the file was cut.
bool ArchiveReader::is_cut_by_end() {
  return stream_.window().empty() && (stream_.problem().empty() || stream_.is_truncated());
}

// With a gzip member for each record, the member has to end well behind the record; a record in
// a member of many is taken when its own bytes could be unpacked.
Result<bool> ArchiveReader::member_is_sound() {
  if (!owns_member_) return true;
  KITH_ASSIGN(const bool any, skip_line_breaks());
  if (stream_.problem().empty() || stream_.problem_offset() != place_.offset) return true;
  if (!any) return false;
  KITH_ASSIGN(const std::string_view window, stream_.need(kRecordClue));
  return record_head_length(format_, window.substr(0, kRecordClue)) != 0;
}

// The current record is cut or its member is broken.
void ArchiveReader::count_damage(BatchBuilder& batch) {
  const bool at_end = stream_.window().empty();
  const std::string_view problem = stream_.problem();
  const bool by_member = !problem.empty() && (at_end || stream_.problem_offset() == place_.offset);
  batch.skip(Skip::damaged, place_,
             by_member ? problem
             : at_end  ? "the file ends in the middle of a record"
                       : kShorterThanSaid);
  lost_ = counted_ = by_member;
}

// Lets the current record end at the next one, which begins here.
void ArchiveReader::shorten_record(BatchBuilder& batch) {
  rest_ = stream_.position() - content_;
  is_shortened_ = true;
  count_swallowing(batch);
}

// Counts the current record, whose length reaches over the next.
void ArchiveReader::count_swallowing(BatchBuilder& batch) {
  if (LayoutLog* const log = stream_.layout_log(); log != nullptr) log->record_needs_next();
  batch.skip(Skip::damaged, place_, kShorterThanSaid);
}

}  // namespace kith::crawl
