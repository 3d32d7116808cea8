// Readers of files of rows: JSON lines, CSV, tables. A row is a page.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "crawl/read/input_reader.h"
#include "crawl/read/row_fields.h"

namespace kith::crawl {

// What a row has of the fields that are read. Slices are of the batch's arena, in the form of the
// body.
struct Row {
  std::string url;  // empty: none
  std::string id;   // likewise
  std::string time;
  BodyForm form = BodyForm::json;
  Slice body;
  Slice title;
  Slice line;          // of JSON lines, the whole row
  std::string extras;  // of append_extras()
  bool is_deleted = false;
  // By which fields these were read (RowFields::none: there is none).
  uint8_t body_field = RowFields::none;
  uint8_t url_field = RowFields::none;
  uint8_t id_field = RowFields::none;
  uint8_t title_field = RowFields::none;
  uint8_t time_field = RowFields::none;
  uint64_t number = 0;  // Page::record
  Place place;
};

// As the head of a WARC record, which has the URL there.
inline constexpr size_t kLongestName = 64u << 10;

inline constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

// Of the fields of a row without text so many are named.
inline constexpr size_t kNamedFields = 20;

// As offer_row, but for counting fields of rows without text.
void take_row(BatchBuilder& batch, const RowFields& fields, const Row& row, std::string_view unit,
              size_t begin);

// Offers the page of a row whose bytes begin at `begin` in the arena, or counts why there is none:
// then the arena is cut back. A row without a URL is named by its id, else by its file and number,
// counted from 1. `unit` is what messages call a row: "line". seen() gives the fields that the row
// has, where there is no text among them.
template <class Seen>
void offer_row(BatchBuilder& batch, const RowFields& fields, const Row& row, std::string_view unit,
               size_t begin, const Seen& seen) {
  if (row.body_field == RowFields::none && !row.is_deleted) batch.count_without_text(seen);
  take_row(batch, fields, row, unit, begin);
}

// The reader of a file whose rows are texts in a row of bytes. Not thread-safe.
class RowFileReader : public InputReader {
 public:
  Result<bool> read(BatchBuilder& batch) final;
  uint64_t bytes_read() const final { return stream_.bytes_read(); }
  uint64_t bytes_unpacked() const final { return stream_.bytes_unpacked(); }

 protected:
  // `path` outlives the reader. unit: see offer_row.
  RowFileReader(UnpackedStream stream, const std::string& path, RowFields fields, const char* unit)
      : stream_(std::move(stream)), path_(path), fields_(std::move(fields)), unit_(unit) {}

  // Reads a row, or moves to the next segment; false at the end.
  virtual Result<bool> read_row(BatchBuilder& batch) = 0;

  UnpackedStream& stream() { return stream_; }
  const RowFields& fields() const { return fields_; }
  const char* unit() const { return unit_; }

  // A row begins and ends at the read position.
  void begin_row();
  void end_row();
  // The current row is sound: what is broken is counted again.
  void found_row() { lost_ = false; }
  // Counts that the current row is damaged, unless it is the rest of one that was counted;
  // is_broken: because the segment ends in it.
  void skip_row(BatchBuilder& batch, std::string_view reason, bool is_broken);
  // Behind the last row of a segment: to the next one.
  Result<bool> end_segment(BatchBuilder& batch);

  // With the number and the place of the current row.
  Row next_row() const;
  uint64_t rows() const { return rows_; }  // that have begun

 private:
  // Whether the next row can be read without waiting for it.
  bool has_row() const { return stream_.window().find('\n') != std::string_view::npos; }

  UnpackedStream stream_;
  const std::string& path_;
  const RowFields fields_;
  const char* const unit_;
  uint64_t rows_ = 0;
  Place place_;        // of the current row
  bool lost_ = false;  // behind damage: the rest of a row is passed over silently
};

// A row has a value, which lies there in the arena, in a field: whether it is the body or title,
// and which are its URL, id and time. An empty value counts where there is no other one.
void note_value(Row& row, const RowFields& fields, uint8_t field, Slice value);

}  // namespace kith::crawl
