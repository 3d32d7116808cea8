// JSONL files: a page per line.
#include <utility>

#include <fmt/format.h>

#include "base/bytes.h"
#include "crawl/read/json_line.h"
#include "crawl/read/row_reader.h"

namespace kith::crawl {
namespace {

class JsonlReader : public RowFileReader {
 public:
  JsonlReader(UnpackedStream stream, const std::string& path, const RowFields& fields)
      : RowFileReader(std::move(stream), path, fields, "line"), parser_(fields) {}

 private:
  Result<bool> read_row(BatchBuilder& batch) override;
  Result<bool> copy_line(Arena& raw, uint64_t longest);
  void take_line(BatchBuilder& batch, size_t begin);
  JsonLine mend_line(BatchBuilder& batch, Slice& line);
  Row row_of(const JsonLine& parsed, Slice line) const;

  JsonLineParser parser_;
  bool too_long_ = false;  // the current line was cut
  bool broken_ = false;    // the current line ends at damage
};

Result<bool> JsonlReader::read_row(BatchBuilder& batch) {
  const bool is_first = rows() == 0;
  KITH_ASSIGN(const std::string_view window, stream().need(is_first ? kByteOrderMark.size() : 1));
  if (window.empty()) return end_segment(batch);
  if (is_first && window.starts_with(kByteOrderMark)) stream().consume(kByteOrderMark.size());
  begin_row();
  const size_t begin = batch.raw().used();
  batch.raw().append(std::string(kJsonPadding, ' '));
  KITH_ASSIGN(broken_, copy_line(batch.raw(), longest_line(batch.max_page())));
  end_row();
  take_line(batch, begin);
  return true;
}

// Appends the line, without its line break, to `raw`; true when damage ends it.
Result<bool> JsonlReader::copy_line(Arena& raw, uint64_t longest) {
  too_long_ = false;
  for (uint64_t copied = 0;;) {
    const std::string_view window = stream().window();
    const size_t line_break = window.find('\n');
    const std::string_view piece = window.substr(0, line_break);
    too_long_ |= copied + piece.size() > longest;
    if (!too_long_) raw.append(piece);
    copied += piece.size();
    const bool complete = line_break != std::string_view::npos;
    stream().consume(piece.size() + (complete ? 1 : 0));
    if (complete) return false;
    KITH_ASSIGN(const bool more, stream().fill());
    if (!more) return !stream().problem().empty();
  }
}

// Offers the page of the line behind the padding at `begin`, or counts why there is none.
void JsonlReader::take_line(BatchBuilder& batch, size_t begin) {
  Arena& raw = batch.raw();
  Slice line{begin + kJsonPadding, raw.used() - begin - kJsonPadding};
  raw.append(std::string(kJsonPadding, ' '));
  JsonLine parsed;
  if (too_long_) {
    parsed.problem = "longer than twice the limit of a page";
  } else if (broken_) {
    parsed.problem = stream().problem().data();
  } else if (trim(raw.view(line)).empty()) {
    return raw.cut_back(begin);
  } else {
    if (mend_surrogates(raw.bytes(line))) batch.count_mended_line();
    parsed = parser_.parse(raw.view(line), max_json_values(batch.max_page()));
    if (parsed.is_not_utf8) parsed = mend_line(batch, line);
  }
  if (*parsed.problem != '\0') {
    raw.cut_back(begin);
    return skip_row(batch, parsed.problem, broken_);
  }
  found_row();
  offer_row(batch, fields(), row_of(parsed, line), unit(), begin,
            [&] { return parser_.names(raw.view(line), kNamedFields); });
}

Row JsonlReader::row_of(const JsonLine& parsed, Slice line) const {
  Row row = next_row();
  row.url = parsed.url;
  row.id = parsed.id;
  row.time = parsed.time;
  row.body = {line.offset + parsed.body.offset, parsed.body.size};
  row.line = line;
  row.title = {line.offset + parsed.title.offset, parsed.title.size};
  row.is_deleted = parsed.is_deleted;
  row.body_field = parsed.body_field;
  row.url_field = parsed.url_field;
  row.id_field = parsed.id_field;
  row.title_field = parsed.title_field;
  append_extras(parsed.extras, fields().extras().size(), row.extras);
  return row;
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

}  // namespace

std::unique_ptr<InputReader> make_jsonl_reader(UnpackedStream stream, const std::string& path,
                                               const RowFields& fields) {
  return std::make_unique<JsonlReader>(std::move(stream), path, fields);
}

}  // namespace kith::crawl
