#include <algorithm>

#include "crawl/read/http.h"
#include "crawl/read/input_reader.h"
#include "crawl/read/json_line.h"
#include "crawl/read/payload.h"

namespace kith::crawl {
namespace {

constexpr size_t kMaxHttpHead = 64u << 10;
// A coded body may exceed max_page by its chunk sizes.
constexpr uint64_t kCodingSlack = 64u << 10;

}  // namespace

Result<bool> ArchiveReader::read(BatchBuilder& batch) {
  for (int records = 0; records < kRecordsPerRead && !batch.full(); ++records) {
    KITH_ASSIGN(const bool more, read_record(batch));
    if (!more) return false;
  }
  return true;
}

namespace {

// What the head of a record says of its page, and whether it is one.
Draft draft_of(const RecordHead& record, BatchBuilder& batch, bool& is_page) {
  Draft draft;
  Arena& raw = batch.raw();
  const MediaType type = parse_media_type(record.content_type);
  const std::optional<PageKind> body_kind = page_kind(type.essence);
  if (record.kind != RecordKind::other) {
    draft.url = raw.append(record.url);
    draft.title = raw.append(batch.title_of(record.url));
  }
  if (record.kind == RecordKind::http || record.kind == RecordKind::bare_response) {
    draft.digest = raw.append(record.digest);
  }
  if (record.kind == RecordKind::revisit) {
    draft.location = raw.append(record.refers_to.empty() ? record.url : record.refers_to);
    draft.is_revisit = true;
  }
  if (record.kind == RecordKind::body || record.kind == RecordKind::bare_response) {
    draft.kind = body_kind.value_or(PageKind::html);
    draft.untyped = !body_kind && says_nothing(type.essence);
    draft.media_type = raw.append(type.essence);
    const bool is_utf8 = record.converted && type.charset.empty();
    draft.charset = raw.append(is_utf8 ? "utf-8" : type.charset);
  }
  is_page = body_kind.has_value() || draft.untyped;
  draft.is_part = record.is_cut;
  return draft;
}

}  // namespace

// Reads one record, or moves over damage; false at the end of the file.
Result<bool> ArchiveReader::read_record(BatchBuilder& batch) {
  KITH_ASSIGN(const bool any, skip_line_breaks());
  LayoutLog* const log = stream_.layout_log();
  if (log != nullptr) log->record_ended(stream_.position());
  if (!any) return end_segment(batch);
  place_ = {&path_, stream_.file_offset()};
  owns_member_ = stream_.at_member_start();

  KITH_ASSIGN(const size_t head_length, find_head());
  if (head_length == 0 || head_length == kNpos) {
    KITH_TRY(lose_way(batch, begins_record(format_, stream_.window())
                                 ? "the record's head has no end"
                                 : "no record begins here"));
    return true;
  }
  const std::string_view head = stream_.window().substr(0, head_length);
  const std::optional<RecordHead> record = parse_record_head(format_, head);
  if (!record) {
    KITH_TRY(lose_way(batch, "the record's head names no valid length"));
    return true;
  }
  lost_ = false;
  rest_ = record->length;
  is_shortened_ = false;
  batch.count_record();
  const uint64_t number = records_++;
  if (log != nullptr) log->record_begins(number, stream_.position());

  const size_t begin = batch.raw().used();
  const RecordKind kind = record->kind;
  bool is_page = false;
  Draft draft = draft_of(*record, batch, is_page);
  draft.place = place_;
  draft.record = number;
  if (!batch.rules().notes) draft.time = record->time;
  const std::optional<Skip> identified = binary_kind(parse_media_type(record->identified).essence);
  stream_.consume(head_length);  // ends the life of `record`
  content_ = stream_.position();
  stream_.set_mark();

  KITH_ASSIGN(const bool is_at_hand, shorten_if_endless(batch));
  if (!is_at_hand) {
    batch.raw().cut_back(begin);
    return true;
  }
  if (identified && kind != RecordKind::other) {
    KITH_TRY(pass_over(batch, *identified, "", begin));
    return true;
  }
  KITH_TRY(read_content(batch, kind, is_page, draft, begin));
  return true;
}

// The current record, of which the head has been consumed.
Status ArchiveReader::read_content(BatchBuilder& batch, RecordKind kind, bool is_page,
                                   const Draft& draft, size_t begin) {
  switch (kind) {
    case RecordKind::other:
      return pass_over(batch, Skip::other_record, "", begin);
    case RecordKind::http:
      return read_http(batch, draft, begin);
    case RecordKind::wat:
      return read_wat(batch, draft, begin);
    case RecordKind::revisit:
      return read_revisit(batch, draft, begin);
    case RecordKind::bare_response:
      return read_bare_response(batch, is_page, draft, begin);
    case RecordKind::body:
      return is_page ? read_body(batch, draft, begin)
                     : pass_over(batch, Skip::media_type, "", begin);
  }
  return Status::ok();
}

Result<bool> ArchiveReader::end_segment(BatchBuilder& batch) {
  if (!stream_.problem().empty() && !counted_ && !lost_) {
    batch.skip(Skip::damaged, {&path_, stream_.problem_offset()}, stream_.problem());
  }
  counted_ = false;
  lost_ = true;
  seen_end_.reset();
  return stream_.next_segment();
}

// A response of HTTP that is stored without its HTTP head, as its type says.
Status ArchiveReader::read_bare_response(BatchBuilder& batch, bool is_page, const Draft& draft,
                                         size_t begin) {
  constexpr std::string_view kStatusLine = "HTTP/";
  const auto clue = static_cast<size_t>(std::min<uint64_t>(rest_, kStatusLine.size()));
  KITH_ASSIGN(const std::string_view window, stream_.need(clue));
  if (window.substr(0, clue) == kStatusLine) return read_http(batch, draft, begin);
  batch.count_bare_response();
  return is_page ? read_body(batch, draft, begin) : pass_over(batch, Skip::media_type, "", begin);
}

// An HTTP response: `rest_` bytes of head and body.
Status ArchiveReader::read_http(BatchBuilder& batch, Draft draft, size_t begin) {
  if (rest_ == 0) return pass_over(batch, Skip::empty, "", begin);
  KITH_ASSIGN(const bool has_head, has_http_head());
  if (!has_head) {
    draft.untyped = true;
    return read_body(batch, draft, begin);
  }
  KITH_ASSIGN(const size_t length, find_final_head());
  if (length == 0) return pass_over(batch, Skip::damaged, "the HTTP head has no end", begin);
  const std::optional<HttpHead> head = parse_http_head(stream_.window().substr(0, length));
  if (!head) return pass_over(batch, Skip::damaged, "no HTTP status line", begin);
  draft.status = static_cast<uint16_t>(head->status);
  if (!batch.rules().status.contains(head->status == 0 ? 200 : head->status)) {
    if (is_redirect(head->status) && !head->location.empty() && draft.url.size > 0) {
      return read_redirect(batch, draft, head->location, begin);
    }
    return pass_over(batch, Skip::status, "", begin);
  }
  const MediaType type = parse_media_type(head->content_type);
  const std::optional<PageKind> kind = page_kind(type.essence);
  if (!kind && !says_nothing(type.essence)) {
    return pass_over(batch, binary_kind(type.essence).value_or(Skip::media_type), "", begin);
  }
  draft.untyped = !kind;
  draft.kind = kind.value_or(PageKind::html);
  draft.media_type = batch.raw().append(type.essence);
  draft.charset = batch.raw().append(type.charset);
  draft.codings = batch.raw().append(head->content_encoding);
  draft.chunked = head->chunked;
  if (draft.chunked || draft.codings.size > 0) draft.form = BodyForm::http;
  stream_.consume(length);
  rest_ -= length;
  return read_body(batch, draft, begin);
}

// False when the record holds a body alone: some archives keep pages without any head.
Result<bool> ArchiveReader::has_http_head() {
  const auto clue = static_cast<size_t>(std::min<uint64_t>(rest_, 1024));
  KITH_ASSIGN(const std::string_view window, stream_.need(clue));
  return !begins_with_markup(window.substr(0, clue));
}

// The length of the HTTP head at hand, all of the record when it is nothing but a head; 0 when
// the head has no end within its limit.
Result<size_t> ArchiveReader::find_http_head() {
  const size_t limit = static_cast<size_t>(std::min<uint64_t>(rest_, kMaxHttpHead));
  for (size_t want = std::min<size_t>(limit, 1024);;) {
    KITH_ASSIGN(std::string_view window, stream_.need(want));
    const bool ended = window.size() < want;
    window = window.substr(0, limit);
    const size_t length = header_length(window);
    if (length != kNpos) return length;
    if (window.size() == rest_) return window.size();
    if (ended || window.size() == limit) return size_t{0};
    want = window.size() + 1;
  }
}

// The same for the last of several heads: interim ones (1xx), and that of a proxy before the real
// one, are consumed.
Result<size_t> ArchiveReader::find_final_head() {
  constexpr std::string_view status_line = "HTTP/";
  for (;;) {
    KITH_ASSIGN(const size_t length, find_http_head());
    if (length == 0 || length + status_line.size() > rest_) return length;
    KITH_ASSIGN(const std::string_view window, stream_.need(length + status_line.size()));
    if (window.substr(length, status_line.size()) != status_line) return length;
    const std::optional<HttpHead> head = parse_http_head(window.substr(0, length));
    if (!head || (head->status / 100 != 1 && head->status != 200)) return length;
    stream_.consume(length);
    rest_ -= length;
  }
}

Status ArchiveReader::read_redirect(BatchBuilder& batch, Draft draft, std::string_view location,
                                    size_t begin) {
  draft.kind = PageKind::redirect;
  draft.form = BodyForm::none;
  draft.location = batch.raw().append(location);
  KITH_ASSIGN(const bool intact, keep_body(batch, draft, 0, begin));
  if (intact) batch.offer(draft);
  return Status::ok();
}

// A capture without its payload. What it refers to may be an answer of any status, all of which
// have the same empty payload, so that its own status counts where it has one.
Status ArchiveReader::read_revisit(BatchBuilder& batch, Draft draft, size_t begin) {
  constexpr std::string_view status_line = "HTTP/";
  const auto clue = static_cast<size_t>(std::min<uint64_t>(rest_, status_line.size()));
  KITH_ASSIGN(const std::string_view window, stream_.need(clue));
  if (window.substr(0, clue) == status_line) {
    KITH_ASSIGN(const size_t length, find_http_head());
    const auto head = parse_http_head(stream_.window().substr(0, length));
    if (!head || !batch.rules().status.contains(head->status == 0 ? 200 : head->status)) {
      return pass_over(batch, Skip::revisit, "", begin);
    }
  }
  draft.kind = PageKind::redirect;
  draft.form = BodyForm::none;
  KITH_ASSIGN(const bool intact, keep_body(batch, draft, 0, begin));
  if (intact) batch.offer(draft);
  return Status::ok();
}

// JSON that describes a record of another archive. Cut JSON cannot be read.
Status ArchiveReader::read_wat(BatchBuilder& batch, Draft draft, size_t begin) {
  if (rest_ > batch.max_page()) {
    return pass_over(batch, Skip::damaged, "JSON longer than the limit of a page", begin);
  }
  if (draft.url.size == 0) return pass_over(batch, Skip::other_record, "", begin);
  draft.kind = PageKind::wat;
  draft.form = BodyForm::wat;
  KITH_ASSIGN(const bool intact, keep_body(batch, draft, rest_, begin));
  if (!intact) return Status::ok();
  batch.raw().append(std::string(kJsonPadding, ' '));
  batch.offer(draft);
  return Status::ok();
}

Status ArchiveReader::read_body(BatchBuilder& batch, Draft draft, size_t begin) {
  Arena& raw = batch.raw();
  if (rest_ == 0) return pass_over(batch, Skip::empty, "", begin);
  if (draft.url.size == 0) {
    return pass_over(batch, Skip::bad_url, "the record names no URL", begin);
  }
  const uint64_t keep = batch.max_page() + (draft.form == BodyForm::bare ? 0 : kCodingSlack);
  draft.cut = rest_ > keep;
  KITH_ASSIGN(const bool is_kept, keep_body(batch, draft, keep, begin, true));
  if (!is_kept) return Status::ok();
  draft.cut &= draft.body.size == keep;
  draft.cut |= draft.is_part;
  const std::string_view kept = raw.view(draft.body);
  if (draft.untyped && draft.form == BodyForm::bare && !begins_with_markup(kept) &&
      !begins_with_gzip(kept)) {
    raw.cut_back(begin);
    batch.skip(Skip::media_type, place_, "");
    return Status::ok();
  }
  batch.offer(draft);
  return Status::ok();
}

// Where the current record, which has been read, ends in the file as it lies on disk: of a plain
// file without the line breaks behind it, of a packed one with its member.
uint64_t ArchiveReader::end_on_disk() const {
  if (!stream_.codec()) return std::min(record_end_, stream_.position());
  return stream_.window().empty() ? stream_.bytes_read() : stream_.file_offset();
}

// Consumes the rest of the record and keeps its first bytes as the draft's body; false when the
// record is damaged, which is then counted. One that ends early with the file is counted too, but
// kept if it may be.
Result<bool> ArchiveReader::keep_body(BatchBuilder& batch, Draft& draft, uint64_t keep,
                                      size_t begin, bool may_end_early) {
  KITH_ASSIGN(const bool is_kept, keep_bytes(batch, draft, keep, begin, may_end_early));
  const bool is_alone = owns_member_ || !stream_.codec();
  if (is_kept && is_alone) draft.length = end_on_disk() - place_.offset;
  return is_kept;
}

Result<bool> ArchiveReader::keep_bytes(BatchBuilder& batch, Draft& draft, uint64_t keep,
                                       size_t begin, bool may_end_early) {
  Arena& raw = batch.raw();
  const size_t body = raw.used();
  const uint64_t body_begin = stream_.position();
  KITH_ASSIGN(const bool complete, transfer(keep, raw));
  record_end_ = stream_.position();
  draft.body = {body, raw.used() - body};
  KITH_ASSIGN(const bool sound, member_is_sound());
  const bool is_whole = complete && sound;
  Swallowed swallowed = Swallowed::nothing;
  if (sound || !complete) {
    KITH_ASSIGN(swallowed, find_swallowed(complete));
  }
  if (swallowed == Swallowed::next) {
    count_swallowing(batch);
    // What stands before the next record is all of this one.
    if (may_end_early && stream_.position() > body_begin) {
      cut_to(draft.body, stream_.position() - body_begin, raw);
      draft.ends_early = true;
      return draft.body.size > 0;
    }
    raw.cut_back(begin);
    return false;
  }
  if (swallowed == Swallowed::unknown && end_at_a_record(draft.body, raw)) {
    draft.ends_early = true;
    count_swallowing(batch);
    return draft.body.size > 0;
  }
  if (is_whole) {
    if (is_shortened_) cut_to(draft.body, draft.body.size, raw);
    return true;
  }
  const bool meets_next = !complete && sound && stream_.at_member_start() && draft.body.size > 0;
  if (may_end_early && (meets_next || (is_cut_by_end() && draft.body.size > 0))) {
    if (meets_next) cut_to(draft.body, draft.body.size, raw);
    draft.ends_early = true;
    count_damage(batch);
    return true;
  }
  raw.cut_back(begin);
  count_damage(batch);
  return false;
}

// Drops the rest of a record that is no page, and what was noted of it.
Status ArchiveReader::pass_over(BatchBuilder& batch, Skip kind, std::string_view reason,
                                size_t begin) {
  batch.raw().cut_back(begin);
  Draft dropped;
  KITH_ASSIGN(const bool intact, keep_body(batch, dropped, 0, begin));
  if (intact) batch.skip(kind, place_, reason);
  return Status::ok();
}

// Consumes the rest of the record and appends its first `keep` bytes to `into`; false when the
// record ends early.
Result<bool> ArchiveReader::transfer(uint64_t keep, Arena& into) {
  for (bool first = true; rest_ > 0; first = false) {
    if (stream_.window().empty()) {
      KITH_ASSIGN(const bool more, stream_.fill());
      if (!more) return false;
    }
    // A new gzip member that begins with a record: the old one was shorter than it said.
    if (!first && stream_.at_member_start()) {
      KITH_ASSIGN(const std::string_view window, stream_.need(kRecordClue));
      const bool new_record = record_head_length(format_, window.substr(0, kRecordClue)) != 0;
      if (new_record) return false;
    }
    const std::string_view window = stream_.window();
    const size_t n = static_cast<size_t>(
        std::min<uint64_t>({window.size(), rest_, stream_.until_next_member()}));
    const size_t kept = static_cast<size_t>(std::min<uint64_t>(n, keep));
    if (kept > 0) into.append(window.substr(0, kept));
    keep -= kept;
    rest_ -= n;
    stream_.consume(n);
  }
  return true;
}

std::unique_ptr<InputReader> make_archive_reader(UnpackedStream stream, const std::string& path,
                                                 ArchiveFormat format) {
  return std::make_unique<ArchiveReader>(std::move(stream), path, format);
}

}  // namespace kith::crawl
