#include "crawl/read/row_reader.h"

#include <algorithm>

#include <fmt/format.h>

#include "crawl/read/records.h"

namespace kith::crawl {
namespace {

// Why a row is no page.
struct Refusal {
  Skip kind;
  const char* reason;
};

// Sets the name and the time of the draft.
std::optional<Refusal> identify(const RecordRules& rules, const Row& row, Draft& draft) {
  if (std::max(row.url.size(), row.id.size()) > kLongestName) {
    return Refusal{Skip::bad_url, "a URL or an id longer than 64 KiB"};
  }
  draft.is_name = row.url.empty();
  // The lines of a pipe have no place that would tell them from those of another day.
  if (rules.notes && *row.place.file == "-" && draft.is_name && row.id.empty()) {
    return Refusal{Skip::damaged, "neither a URL nor an id"};
  }
  const auto time = rules.notes ? parse_time(row.time) : parse_any_time(row.time);
  if (rules.notes && !row.time.empty() && !time) {
    return Refusal{Skip::damaged, "a \"time\" that is neither seconds nor a date"};
  }
  draft.time = time.value_or(no_time);
  return std::nullopt;
}

std::optional<Refusal> take_body(const RecordRules& rules, const RowFields& fields, const Row& row,
                                 Draft& draft) {
  const bool is_removal = rules.notes && row.is_deleted;
  const bool has_body = row.body_field != RowFields::none;
  if (!has_body && !is_removal && !rules.keeps_empty()) {
    if (!rules.notes) return Refusal{Skip::empty, "no text"};
    return Refusal{Skip::damaged, "no text and no markup"};
  }
  draft.form = is_removal || !has_body ? BodyForm::none : row.form;
  const bool is_text = has_body && fields.all()[row.body_field].part == RowPart::text;
  draft.kind = is_removal ? PageKind::removal : is_text ? PageKind::text : PageKind::html;
  draft.body = row.body;
  draft.title = row.title;
  return std::nullopt;
}

// "url" or "id" of which the name was taken; the file and number have no field.
uint8_t name_field(const Row& row) {
  if (!row.url.empty()) return row.url_field;
  return row.id.empty() ? RowFields::none : row.id_field;
}

}  // namespace

namespace {

// Before the text is unescaped in its place.
void keep_row(Arena& raw, const RowFields& fields, const Row& row, Draft& draft) {
  if (row.line.size == 0) return;
  if (row.body_field == RowFields::none) {
    draft.row_head = raw.append(raw.view(row.line));
  } else if (fields.all()[row.body_field].part == RowPart::text) {
    const size_t quote = row.body.offset + raw.view(row.body).rfind('"');
    const size_t end = row.line.offset + row.line.size;
    draft.row_head = raw.append(raw.view({row.line.offset, row.body.offset - row.line.offset}));
    draft.row_tail = raw.append(raw.view({quote, end - quote}));
  }
}

}  // namespace

void take_row(BatchBuilder& batch, const RowFields& fields, const Row& row, std::string_view unit,
              size_t begin) {
  batch.count_record();
  Draft draft;
  std::optional<Refusal> refusal = identify(batch.rules(), row, draft);
  if (!refusal) refusal = take_body(batch.rules(), fields, row, draft);
  if (refusal) {
    batch.raw().cut_back(begin);
    batch.skip(refusal->kind, row.place,
               fmt::format("{} {}: {}", unit, row.number + 1, refusal->reason));
    return;
  }
  batch.count_field(name_field(row));
  for (const uint8_t field : {row.body_field, row.title_field}) {
    if (field != RowFields::none) batch.count_field(field);
  }
  draft.place = row.place;
  draft.record = row.number;
  const std::string place = row.url.empty() && row.id.empty()
                                ? fmt::format("{}:{}", *row.place.file, row.number + 1)
                                : "";
  if (batch.rules().rows) keep_row(batch.raw(), fields, row, draft);
  draft.extras = batch.raw().append(row.extras);
  draft.url = batch.raw().append(!row.url.empty() ? row.url : !row.id.empty() ? row.id : place);
  batch.offer(draft);
}

Result<bool> RowFileReader::read(BatchBuilder& batch) {
  for (int rows = 0; rows < kRecordsPerRead && !batch.full(); ++rows) {
    KITH_ASSIGN(const bool more, read_row(batch));
    if (!more) return false;
    // Strict readers give the pages before a damaged row, however the rows have arrived.
    const RecordRules& rules = batch.rules();
    if (rules.notes && !batch.drafts().empty() && (rules.strict || !has_row())) {
      batch.end();
      return true;
    }
  }
  return true;
}

void RowFileReader::begin_row() {
  if (LayoutLog* const log = stream_.layout_log(); log != nullptr) {
    log->record_begins(rows_, stream_.position());
  }
  ++rows_;
  place_ = {&path_, stream_.file_offset()};
}

void RowFileReader::end_row() {
  if (LayoutLog* const log = stream_.layout_log(); log != nullptr) {
    log->record_ended(stream_.position());
  }
}

void RowFileReader::skip_row(BatchBuilder& batch, std::string_view reason, bool is_broken) {
  if (!lost_) batch.skip(Skip::damaged, place_, fmt::format("{} {}: {}", unit_, rows_, reason));
  lost_ = lost_ || is_broken;
}

Result<bool> RowFileReader::end_segment(BatchBuilder& batch) {
  if (!stream_.problem().empty() && !lost_) {
    batch.skip(Skip::damaged, {&path_, stream_.problem_offset()},
               fmt::format("after {} {}: {}", unit_, rows_, stream_.problem()));
  }
  lost_ = true;
  return stream_.next_segment();
}

Row RowFileReader::next_row() const {
  Row row;
  row.number = rows_ - 1;
  row.place = place_;
  return row;
}

void note_value(Row& row, const RowFields& fields, uint8_t field, Slice value) {
  const RowPart part = fields.all()[field].part;
  if (part == RowPart::title) {
    row.title = value;
    row.title_field = field;
    return;
  }
  const bool is_body = fields.is_body(field);
  if (!is_body && value.size == 0) return;
  uint8_t& known = is_body                 ? row.body_field
                   : part == RowPart::url  ? row.url_field
                   : part == RowPart::time ? row.time_field
                                           : row.id_field;
  const bool is_better =
      !is_body || (row.body.size == 0) == (value.size == 0) ? field < known : value.size > 0;
  if (!is_better) return;
  known = field;
  if (is_body) row.body = value;
}

}  // namespace kith::crawl
