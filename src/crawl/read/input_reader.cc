// A file of HTML or text: one page, whose URL or name its path gives.
#include "crawl/read/input_reader.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/bytes.h"
#include "crawl/read/json_line.h"
#include "crawl/read/records.h"

namespace kith::crawl {
namespace {

constexpr uint64_t kReadSize = 1u << 20;

class WholeReader : public InputReader {
 public:
  WholeReader(std::unique_ptr<ByteSource> source, uint64_t size, const std::string& path,
              const std::string& url, PageKind kind)
      : source_(std::move(source)), size_(size), path_(path), url_(url), kind_(kind) {}

  Result<bool> read(BatchBuilder& batch) override;
  uint64_t bytes_read() const override { return bytes_read_; }
  uint64_t bytes_unpacked() const override { return bytes_read_; }

 private:
  std::unique_ptr<ByteSource> source_;
  const uint64_t size_;
  const std::string& path_;
  const std::string& url_;
  const PageKind kind_;
  uint64_t bytes_read_ = 0;
};

Result<bool> WholeReader::read(BatchBuilder& batch) {
  Arena& raw = batch.raw();
  const size_t begin = raw.used();
  Draft draft;
  draft.kind = kind_;
  draft.place = {&path_, 0};
  draft.url = raw.append(url_);
  draft.body.offset = raw.used();
  // One byte more than is kept tells a file that is cut, and one more than its size its end.
  const uint64_t want = batch.max_page() + 1;
  const uint64_t piece = std::clamp<uint64_t>(size_ + 1, 1, kReadSize);
  while (draft.body.size < want) {
    KITH_ASSIGN(const size_t n, source_->read(raw.room(std::min(piece, want - draft.body.size))));
    if (n == 0) break;
    raw.take(n);
    draft.body.size += n;
  }
  bytes_read_ = draft.body.size;
  batch.count_record();
  const char* const problem = source_->problem();
  if (draft.body.size == 0 || *problem != '\0') {
    raw.cut_back(begin);
    batch.skip(*problem != '\0' ? Skip::damaged : Skip::empty, draft.place, problem);
    return false;
  }
  draft.cut = draft.body.size == want;
  draft.body.size = std::min<size_t>(draft.body.size, batch.max_page());
  batch.offer(draft);
  return false;
}

}  // namespace

std::unique_ptr<InputReader> make_whole_reader(std::unique_ptr<ByteSource> source, uint64_t size,
                                               const std::string& path, const std::string& url,
                                               PageKind kind) {
  return std::make_unique<WholeReader>(std::move(source), size, path, url, kind);
}

// JSONL files: a page per line.
namespace {

// As the head of a WARC record, which has the URL there.
constexpr size_t kLongestName = 64u << 10;
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

// has_notes: see CrawlOptions::notes.
int64_t time_of(const JsonLine& line, bool has_notes) {
  if (has_notes) return parse_time(line.time).value_or(no_time);
  const auto date = parse_any_time(line.date);
  return (date ? date : parse_any_time(line.time)).value_or(no_time);
}

class JsonlReader : public InputReader {
 public:
  JsonlReader(UnpackedStream stream, const std::string& path)
      : stream_(std::move(stream)), path_(path) {}

  Result<bool> read(BatchBuilder& batch) override;
  uint64_t bytes_read() const override { return stream_.bytes_read(); }
  uint64_t bytes_unpacked() const override { return stream_.bytes_unpacked(); }

 private:
  // Whether the next line can be read without waiting for it.
  bool has_line() const { return stream_.window().find('\n') != std::string_view::npos; }
  Result<bool> read_line(BatchBuilder& batch);
  Result<bool> end_segment(BatchBuilder& batch);
  Result<bool> copy_line(Arena& raw, uint64_t longest);
  void take_line(BatchBuilder& batch, size_t begin);
  JsonLine mend_line(BatchBuilder& batch, Slice& line);
  // The URL, the id, or the place.
  std::string name_of(const JsonLine& line) const;
  bool is_named(const JsonLine& line, const RecordRules& rules) const;
  void skip(BatchBuilder& batch, Skip kind, std::string_view reason);

  UnpackedStream stream_;
  const std::string& path_;
  JsonLineParser parser_;
  uint64_t line_ = 0;      // number of the current line
  Place place_;            // of the current line
  bool too_long_ = false;  // the current line was cut
  bool broken_ = false;    // the current line ends at damage
  bool lost_ = false;      // behind damage: the rest of a line is passed over silently
};

Result<bool> JsonlReader::read(BatchBuilder& batch) {
  for (int lines = 0; lines < kRecordsPerRead && !batch.full(); ++lines) {
    KITH_ASSIGN(const bool more, read_line(batch));
    if (!more) return false;
    // Strict readers give the pages before a damaged line, however the lines have arrived.
    const RecordRules& rules = batch.rules();
    if (rules.notes && !batch.drafts().empty() && (rules.strict || !has_line())) {
      batch.end();
      return true;
    }
  }
  return true;
}

Result<bool> JsonlReader::read_line(BatchBuilder& batch) {
  KITH_ASSIGN(const std::string_view window, stream_.need(line_ == 0 ? kByteOrderMark.size() : 1));
  if (window.empty()) return end_segment(batch);
  if (line_ == 0 && window.starts_with(kByteOrderMark)) stream_.consume(kByteOrderMark.size());
  LayoutLog* const log = stream_.layout_log();
  if (log != nullptr) log->record_begins(line_, stream_.position());
  ++line_;
  place_ = {&path_, stream_.file_offset()};
  const size_t begin = batch.raw().used();
  batch.raw().append(std::string(kJsonPadding, ' '));
  KITH_ASSIGN(broken_, copy_line(batch.raw(), longest_line(batch.max_page())));
  if (log != nullptr) log->record_ended(stream_.position());
  take_line(batch, begin);
  return true;
}

Result<bool> JsonlReader::end_segment(BatchBuilder& batch) {
  if (!stream_.problem().empty() && !lost_) {
    batch.skip(Skip::damaged, {&path_, stream_.problem_offset()},
               fmt::format("after line {}: {}", line_, stream_.problem()));
  }
  lost_ = true;
  return stream_.next_segment();
}

// Appends the line, without its line break, to `raw`; true when damage ends it.
Result<bool> JsonlReader::copy_line(Arena& raw, uint64_t longest) {
  too_long_ = false;
  for (uint64_t copied = 0;;) {
    const std::string_view window = stream_.window();
    const size_t line_break = window.find('\n');
    const std::string_view piece = window.substr(0, line_break);
    too_long_ |= copied + piece.size() > longest;
    if (!too_long_) raw.append(piece);
    copied += piece.size();
    const bool complete = line_break != std::string_view::npos;
    stream_.consume(piece.size() + (complete ? 1 : 0));
    if (complete) return false;
    KITH_ASSIGN(const bool more, stream_.fill());
    if (!more) return !stream_.problem().empty();
  }
}

// Offers the page of the line behind the padding at `begin`, or counts why there is none.
void JsonlReader::take_line(BatchBuilder& batch, size_t begin) {
  Arena& raw = batch.raw();
  Draft draft;
  Slice line{begin + kJsonPadding, raw.used() - begin - kJsonPadding};
  raw.append(std::string(kJsonPadding, ' '));
  const bool was_lost = std::exchange(lost_, false);
  JsonLine fields;
  if (too_long_) {
    fields.problem = "longer than twice the limit of a page";
  } else if (broken_) {
    fields.problem = stream_.problem().data();
  } else if (trim(raw.view(line)).empty()) {
    raw.cut_back(begin);
    lost_ = was_lost;
    return;
  } else {
    if (mend_surrogates(raw.bytes(line))) batch.count_mended_line();
    fields = parser_.parse(raw.view(line), max_json_values(batch.max_page()));
    if (fields.is_not_utf8) fields = mend_line(batch, line);
  }
  if (*fields.problem != '\0') {
    raw.cut_back(begin);
    if (!was_lost) skip(batch, Skip::damaged, fields.problem);
    lost_ = broken_ || was_lost;
    return;
  }
  batch.count_record();
  if (std::max(fields.url.size(), fields.id.size()) > kLongestName) {
    raw.cut_back(begin);
    return skip(batch, Skip::bad_url, "a \"url\" or \"id\" longer than 64 KiB");
  }
  if (!is_named(fields, batch.rules())) {
    raw.cut_back(begin);
    return skip(batch, batch.rules().notes ? Skip::damaged : Skip::bad_url,
                "no \"url\" that is a string");
  }
  draft.time = time_of(fields, batch.rules().notes);
  if (batch.rules().notes && !fields.time.empty() && draft.time == no_time) {
    raw.cut_back(begin);
    return skip(batch, Skip::damaged, "a \"time\" that is neither seconds nor a date");
  }
  const bool is_removal = batch.rules().notes && fields.is_deleted;
  if (!fields.has_body && !is_removal && !batch.rules().keeps_empty()) {
    raw.cut_back(begin);
    if (!batch.rules().notes) return skip(batch, Skip::empty, "");
    return skip(batch, Skip::damaged, "no \"text\" or \"html\" that is a string");
  }
  draft.form = is_removal || !fields.has_body ? BodyForm::none : BodyForm::json;
  draft.kind = is_removal ? PageKind::removal : fields.kind;
  draft.body = {line.offset + fields.body.offset, fields.body.size};
  draft.title = {line.offset + fields.title.offset, fields.title.size};
  draft.place = place_;
  draft.record = line_ - 1;
  draft.url = raw.append(name_of(fields));
  batch.offer(draft);
}

std::string JsonlReader::name_of(const JsonLine& line) const {
  if (!line.url.empty()) return std::string(line.url);
  return line.id.empty() ? fmt::format("{}:{}", path_, line_) : std::string(line.id);
}

// The lines of a pipe have no place that would tell them from those of another day.
bool JsonlReader::is_named(const JsonLine& line, const RecordRules& rules) const {
  if (!line.url.empty()) return true;
  return rules.nameless && (!rules.notes || path_ != "-" || !line.id.empty());
}

// Parses the last line of the batch again, with U+FFFD for what is not UTF-8.
JsonLine JsonlReader::mend_line(BatchBuilder& batch, Slice& line) {
  Arena& raw = batch.raw();
  const std::optional<std::string> mended =
      with_valid_utf8(raw.view(line), longest_line(batch.max_page()));
  JsonLine fields;
  if (!mended) {
    fields.problem = "not UTF-8, and mended longer than twice the limit of a page";
    return fields;
  }
  raw.cut_back(line.offset);
  line = raw.append(*mended);
  raw.append(std::string(kJsonPadding, ' '));
  fields = parser_.parse(raw.view(line), max_json_values(batch.max_page()));
  if (*fields.problem == '\0') batch.count_mended_line();
  return fields;
}

void JsonlReader::skip(BatchBuilder& batch, Skip kind, std::string_view reason) {
  batch.skip(kind, place_, fmt::format("line {}: {}", line_, reason));
}

}  // namespace

std::unique_ptr<InputReader> make_jsonl_reader(UnpackedStream stream, const std::string& path) {
  return std::make_unique<JsonlReader>(std::move(stream), path);
}

}  // namespace kith::crawl
