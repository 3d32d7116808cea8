// Files of CSV (RFC 4180), or with tabs or semicolons in place of commas: a page per row.
#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <utility>

#include <fmt/format.h>
#include <simdjson.h>

#include "base/bytes.h"
#include "crawl/read/json_line.h"
#include "crawl/read/row_reader.h"

namespace kith::crawl {
namespace {

constexpr size_t kLongestHeader = 1u << 20;

// Where in a row the scan of its bytes is.
enum class At : uint8_t {
  value,  // before a value
  plain,  // in a value without quotes
  quoted,
  quote,  // behind a quote in a quoted value: its end, or the first half of a quote
};

struct Scanned {
  size_t bytes = 0;       // that were looked at
  bool is_end = false;    // the last one is the line break that ends the row
  bool is_wrong = false;  // a quoted value goes on behind its end
};

Scanned scan(std::string_view bytes, char separator, At& at) {
  for (size_t i = 0; i < bytes.size();) {
    const char c = bytes[i];
    if ((at == At::value || at == At::quote) && c == '"') {
      at = At::quoted;  // for the first time, or behind a doubled quote
      ++i;
    } else if (at == At::quoted) {
      i = std::min(bytes.find('"', i), bytes.size() - 1) + 1;
      if (bytes[i - 1] == '"') at = At::quote;
    } else if (at == At::quote && c == '\r') {
      ++i;
    } else if (at == At::quote && c != separator && c != '\n') {
      return {.bytes = i, .is_wrong = true};
    } else {
      if (at != At::quote) at = At::plain;
      while (i < bytes.size() && bytes[i] != separator && bytes[i] != '\n') ++i;
      if (i == bytes.size()) break;
      if (bytes[i++] == '\n') return {.bytes = i, .is_end = true};
      at = At::value;
    }
  }
  return {.bytes = bytes.size()};
}

std::string_view without_line_break(std::string_view row) {
  if (row.ends_with('\n')) row.remove_suffix(1);
  if (row.ends_with('\r')) row.remove_suffix(1);
  return row;
}

// A value at the front of a row that is sound, as it stands, with its quotes.
std::string_view first_value(std::string_view row, char separator, bool has_quotes) {
  size_t end = 0;
  if (has_quotes && row.starts_with('"')) {
    end = row.find('"', 1);
    while (end < row.size() && row.substr(end + 1).starts_with('"')) end = row.find('"', end + 2);
  }
  return row.substr(0, row.find(separator, std::min(end, row.size())));
}

// Takes the quotes of a value away, in place.
std::span<char> unquote(std::span<char> value) {
  if (value.empty() || value.front() != '"') return value;
  const std::string_view view(value.data(), value.size());
  size_t size = 0;
  for (size_t at = 1; at < view.size();) {
    const size_t end = std::min(view.find('"', at), view.size());
    std::memmove(value.data() + size, view.data() + at, end - at);
    size += end - at;
    if (end + 1 >= view.size() || view[end + 1] != '"') break;
    value[size++] = '"';
    at = end + 2;
  }
  return value.first(size);
}

char separator_of(std::string_view header) {
  char best = ',';
  for (const char separator : {'\t', ';'}) {
    if (std::ranges::count(header, separator) > std::ranges::count(header, best)) best = separator;
  }
  return best;
}

std::vector<std::string> values_of(std::string_view row, char separator) {
  std::vector<std::string> values;
  for (bool more = true; more;) {
    const std::string_view value = first_value(row, separator, true);
    std::string own(value);
    values.emplace_back(unquote(own).data(), unquote(own).size());
    more = value.size() < row.size();
    row.remove_prefix(std::min(value.size() + 1, row.size()));
  }
  return values;
}

class CsvReader : public RowFileReader {
 public:
  CsvReader(UnpackedStream stream, const std::string& path, const RowFields& fields)
      : RowFileReader(std::move(stream), path, fields, "row") {}

 private:
  // How the bytes of a row ended.
  enum class Ending : uint8_t { sound, unclosed, wrong, broken, too_long };

  Result<bool> read_row(BatchBuilder& batch) override;
  Status read_header();
  Status skip_blank_lines();
  Result<Ending> copy_row(Arena& raw, uint64_t longest);
  Result<Ending> go_back(Arena& raw, size_t begin, uint64_t longest, Ending ending);
  Status skip_line();
  Result<bool> copy_line(Arena& raw, uint64_t longest);
  void take_values(BatchBuilder& batch, size_t begin);
  std::string mended(std::string_view text) const;

  std::string header_;
  std::vector<std::string> names_;
  std::vector<uint8_t> columns_;  // the field of each
  std::vector<size_t> extras_;    // the extra of each
  char separator_ = ',';
  bool has_header_ = false;
  bool has_quotes_ = true;  // of the current row
  uint64_t row_begin_ = 0;  // position
  uint64_t next_line_ = 0;  // behind the first line break of the row; 0: there is none so far
};

Status CsvReader::read_header() {
  has_header_ = true;
  KITH_ASSIGN(const std::string_view window, stream().need(kByteOrderMark.size()));
  if (window.starts_with(kByteOrderMark)) stream().consume(kByteOrderMark.size());
  KITH_TRY(skip_blank_lines());
  Arena arena(header_);
  At at = At::value;
  // Which separator it is, its first line tells.
  KITH_ASSIGN(const std::string_view line, stream().need(UnpackedStream::kMaxNeed));
  separator_ = separator_of(line.substr(0, line.find('\n')));
  for (bool is_end = false; !is_end;) {
    const Scanned scanned = scan(stream().window(), separator_, at);
    // A wrong one is read as far as it goes.
    const size_t bytes = scanned.bytes + (scanned.is_wrong ? 1 : 0);
    if (arena.used() < kLongestHeader) arena.append(stream().window().substr(0, bytes));
    stream().consume(bytes);
    if (scanned.is_wrong) at = At::plain;
    is_end = scanned.is_end;
    if (is_end || !stream().window().empty()) continue;
    KITH_ASSIGN(const bool more, stream().fill());
    if (!more) break;
  }
  names_ = values_of(without_line_break(arena.view({0, arena.used()})), separator_);
  for (const std::string& name : names_) {
    const uint8_t field = fields().find(name);
    const bool is_known = std::ranges::find(columns_, field) != columns_.end();
    columns_.push_back(is_known ? RowFields::none : field);
    extras_.push_back(fields().find_extra(name));
  }
  return Status::ok();
}

Status CsvReader::skip_blank_lines() {
  for (;;) {
    KITH_ASSIGN(const std::string_view window, stream().need(2));
    const size_t size = window.starts_with('\n') ? 1 : window.starts_with("\r\n") ? 2 : 0;
    if (size == 0) return Status::ok();
    stream().consume(size);
  }
}

Result<bool> CsvReader::read_row(BatchBuilder& batch) {
  if (!has_header_) KITH_TRY(read_header());
  KITH_TRY(skip_blank_lines());
  if (stream().window().empty()) return end_segment(batch);
  stream().set_mark();
  row_begin_ = stream().position();
  begin_row();
  Arena& raw = batch.raw();
  const size_t begin = raw.used();
  const uint64_t longest = longest_line(batch.max_page());
  KITH_ASSIGN(Ending ending, copy_row(raw, longest));
  if (ending == Ending::unclosed || ending == Ending::wrong) {
    KITH_ASSIGN(ending, go_back(raw, begin, longest, ending));
  }
  end_row();
  constexpr std::array problems = {"", "a quoted value without an end",
                                   "a quoted value goes on behind its quotes", "",
                                   "longer than twice the limit of a page"};
  if (ending == Ending::sound) {
    found_row();
    take_values(batch, begin);
    return true;
  }
  raw.cut_back(begin);
  const bool is_broken = ending == Ending::broken;
  skip_row(batch, is_broken ? stream().problem() : problems[static_cast<size_t>(ending)],
           is_broken);
  return true;
}

// Appends the bytes of a row to the arena, its line break included.
Result<CsvReader::Ending> CsvReader::copy_row(Arena& raw, uint64_t longest) {
  At at = At::value;
  has_quotes_ = true;
  next_line_ = 0;
  for (uint64_t copied = 0;;) {
    const std::string_view window = stream().window();
    const Scanned scanned = scan(window, separator_, at);
    const std::string_view piece = window.substr(0, scanned.bytes);
    copied += piece.size();
    if (copied <= longest) raw.append(piece);
    const size_t line_break = next_line_ == 0 ? piece.find('\n') : std::string_view::npos;
    if (line_break != std::string_view::npos) next_line_ = stream().position() + line_break + 1;
    stream().consume(piece.size());
    if (scanned.is_wrong) return Ending::wrong;
    if (scanned.is_end) return copied > longest ? Ending::too_long : Ending::sound;
    KITH_ASSIGN(const bool more, stream().fill());
    if (more) continue;
    if (!stream().problem().empty()) return Ending::broken;
    if (at == At::quoted) return Ending::unclosed;
    return copied > longest ? Ending::too_long : Ending::sound;
  }
}

// Behind a row whose quotes lead nowhere: goes back, so that one quote costs one line. With tabs a
// quote may be a character like any other, as programs write it that know no quotes.
Result<CsvReader::Ending> CsvReader::go_back(Arena& raw, size_t begin, uint64_t longest,
                                             Ending ending) {
  if (separator_ == '\t' && stream().can_seek(row_begin_)) {
    KITH_TRY(stream().seek(row_begin_));
    raw.cut_back(begin);
    has_quotes_ = false;
    KITH_ASSIGN(const bool is_long, copy_line(raw, longest));
    return is_long ? Ending::too_long : Ending::sound;
  }
  if (next_line_ == 0) {
    KITH_TRY(skip_line());
  } else if (stream().can_seek(next_line_)) {
    KITH_TRY(stream().seek(next_line_));
  }
  return ending;
}

Status CsvReader::skip_line() {
  std::string unused;
  Arena arena(unused);
  KITH_ASSIGN(const bool is_long, copy_line(arena, 0));
  static_cast<void>(is_long);
  return Status::ok();
}

// Appends the rest of the line; whether it was longer.
Result<bool> CsvReader::copy_line(Arena& raw, uint64_t longest) {
  for (uint64_t copied = 0;;) {
    const std::string_view window = stream().window();
    const std::string_view piece =
        window.substr(0, std::min(window.find('\n'), window.size() - 1) + 1);
    copied += piece.size();
    if (copied <= longest) raw.append(piece);
    stream().consume(piece.size());
    if (piece.ends_with('\n')) return copied > longest;
    KITH_ASSIGN(const bool more, stream().fill());
    if (!more) return copied > longest;
  }
}

// URLs and ids may be in another charset than UTF-8, too.
std::string CsvReader::mended(std::string_view text) const {
  if (simdjson::validate_utf8(text.data(), text.size())) return std::string(text);
  return with_valid_utf8(text).value_or("");
}

// Offers the page of the row behind `begin`.
void CsvReader::take_values(BatchBuilder& batch, size_t begin) {
  Arena& raw = batch.raw();
  Row row = next_row();
  row.form = BodyForm::cell;
  std::array<Slice, RowFields::max_fields> values{};
  ExtraValues extras{};
  size_t at = begin;
  const size_t end = begin + without_line_break(raw.view({begin, raw.used() - begin})).size();
  size_t column = 0;
  for (bool more = true; more; ++column) {
    const std::string_view value = first_value(raw.view({at, end - at}), separator_, has_quotes_);
    const uint8_t field = column < columns_.size() ? columns_[column] : RowFields::none;
    if (column >= columns_.size() && !value.empty()) {
      raw.cut_back(begin);
      return skip_row(batch,
                      fmt::format("more values than the {} names of the first line", names_.size()),
                      false);
    }
    const size_t extra = column < extras_.size() ? extras_[column] : RowFields::max_extras;
    if (field != RowFields::none || extra != RowFields::max_extras) {
      const std::span<char> bytes = raw.bytes({at, value.size()});
      const std::span<char> plain = has_quotes_ ? unquote(bytes) : bytes;
      // An empty cell is what other formats write as null.
      if (extra != RowFields::max_extras && !plain.empty())
        extras[extra] = {plain.data(), plain.size()};
      if (field != RowFields::none) {
        values[field] = {at, plain.size()};
        note_value(row, fields(), field, values[field]);
      }
    }
    more = at + value.size() < end;
    at += value.size() + 1;
  }
  append_extras(extras, fields().extras().size(), row.extras);
  if (row.url_field != RowFields::none) row.url = mended(raw.view(values[row.url_field]));
  if (row.id_field != RowFields::none) row.id = mended(raw.view(values[row.id_field]));
  if (row.time_field != RowFields::none) row.time = raw.view(values[row.time_field]);
  if (const std::string title = mended(raw.view(row.title)); title != raw.view(row.title)) {
    row.title = raw.append(title);
  }
  offer_row(batch, fields(), row, unit(), begin, [&] {
    return std::vector(names_.begin(),
                       names_.begin() + static_cast<long>(std::min(names_.size(), kNamedFields)));
  });
}

}  // namespace

bool is_csv_header(std::string_view start, const RowFields& fields) {
  if (start.starts_with(kByteOrderMark)) start.remove_prefix(kByteOrderMark.size());
  const std::string_view line = without_line_break(start.substr(0, start.find('\n') + 1));
  const std::vector<std::string> names = values_of(line, separator_of(line));
  return names.size() > 1 && std::ranges::any_of(names, [&](const std::string& name) {
           return fields.is_body(fields.find(name));
         });
}

std::unique_ptr<InputReader> make_csv_reader(UnpackedStream stream, const std::string& path,
                                             const RowFields& fields) {
  return std::make_unique<CsvReader>(std::move(stream), path, fields);
}

}  // namespace kith::crawl
