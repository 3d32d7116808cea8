// Readers of one input file: records in, drafts of pages out.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "kith/status.h"

#include "crawl/read/batch_decoder.h"
#include "crawl/read/records.h"
#include "crawl/read/unpacked_stream.h"

namespace kith::crawl {

// Used under the reader's lock.
class InputReader {
 public:
  virtual ~InputReader() = default;

  // Reads on until the batch is full or some hundred records have passed; false at the end of
  // the file. Damage is counted in the batch; an error only when the file cannot be read.
  virtual Result<bool> read(BatchBuilder& batch) = 0;

  virtual uint64_t bytes_read() const = 0;  // as they lie on disk
  virtual uint64_t bytes_unpacked() const = 0;
};

// Records that a reader passes before it returns from read(), so that progress is seen.
inline constexpr int kRecordsPerRead = 1000;

// `path` names the file in reports and outlives the reader, like all below.
std::unique_ptr<InputReader> make_archive_reader(UnpackedStream stream, const std::string& path,
                                                 ArchiveFormat format);

// One JSON object a line, read by these of its fields.
std::unique_ptr<InputReader> make_jsonl_reader(UnpackedStream stream, const std::string& path,
                                               const RowFields& fields = RowFields());

// A line of names, and a row of values a page, read by these of its columns.
std::unique_ptr<InputReader> make_csv_reader(UnpackedStream stream, const std::string& path,
                                             const RowFields& fields = RowFields());

// Whether the first line of these bytes names two columns or more, and among them one that holds
// the body of a page.
bool is_csv_header(std::string_view start, const RowFields& fields);

// A file that is one page, html or text, whose URL or name is known from its place; `size`: what it
// is expected to have.
std::unique_ptr<InputReader> make_whole_reader(std::unique_ptr<ByteSource> source, uint64_t size,
                                               const std::string& path, const std::string& url,
                                               PageKind kind);

// WARC and ARC files: archive_search.cc finds the records, archive_reader.cc in them the pages.

// Leaves the first bytes of a body at the end of the arena, without the line breaks after it.
void cut_to(Slice& body, uint64_t size, Arena& raw);

// Not thread-safe; `path` must outlive it.
class ArchiveReader : public InputReader {
 public:
  ArchiveReader(UnpackedStream stream, const std::string& path, ArchiveFormat format)
      : stream_(std::move(stream)), path_(path), format_(format) {}

  Result<bool> read(BatchBuilder& batch) override;
  uint64_t bytes_read() const override { return stream_.bytes_read(); }
  uint64_t bytes_unpacked() const override { return stream_.bytes_unpacked(); }

 private:
  Result<bool> read_record(BatchBuilder& batch);
  Result<bool> shorten_if_endless(BatchBuilder& batch);
  Result<bool> skip_line_breaks();
  Result<bool> end_segment(BatchBuilder& batch);
  Result<size_t> find_head();
  Status lose_way(BatchBuilder& batch, std::string_view reason);
  Result<bool> search_nearby();
  Result<bool> search_record(bool at_line_start, uint64_t end);
  Result<bool> search_sound_head(uint64_t end);
  Result<bool> misses_next();
  enum class Swallowed : uint8_t { nothing, next, unknown };
  Result<Swallowed> find_swallowed(bool is_complete);
  bool end_at_a_record(Slice& body, Arena& raw);

  Status read_content(BatchBuilder& batch, RecordKind kind, bool is_page, const Draft& draft,
                      size_t begin);
  Status read_http(BatchBuilder& batch, Draft draft, size_t begin);
  Status read_bare_response(BatchBuilder& batch, bool is_page, const Draft& draft, size_t begin);
  Result<bool> has_http_head();
  Result<size_t> find_http_head();
  Result<size_t> find_final_head();
  Status read_redirect(BatchBuilder& batch, Draft draft, std::string_view location, size_t begin);
  Status read_revisit(BatchBuilder& batch, Draft draft, size_t begin);
  Status read_wat(BatchBuilder& batch, Draft draft, size_t begin);
  Status read_body(BatchBuilder& batch, Draft draft, size_t begin);
  uint64_t end_on_disk() const;
  Result<bool> keep_body(BatchBuilder& batch, Draft& draft, uint64_t keep, size_t begin,
                         bool may_end_early = false);
  Result<bool> keep_bytes(BatchBuilder& batch, Draft& draft, uint64_t keep, size_t begin,
                          bool may_end_early);
  bool is_cut_by_end();
  Status pass_over(BatchBuilder& batch, Skip kind, std::string_view reason, size_t begin);

  Result<bool> transfer(uint64_t keep, Arena& into);
  Result<bool> member_is_sound();
  void count_damage(BatchBuilder& batch);
  void shorten_record(BatchBuilder& batch);
  void count_swallowing(BatchBuilder& batch);

  UnpackedStream stream_;
  const std::string& path_;
  const ArchiveFormat format_;

  Place place_;                // of the current record
  uint64_t record_end_ = 0;    // the position behind the content of the last record
  bool owns_member_ = false;   // the current record begins a gzip member
  uint64_t records_ = 0;       // whose heads could be read
  uint64_t rest_ = 0;          // bytes of the current record that are not consumed
  bool is_shortened_ = false;  // it ends where the next one begins, not where its length says
  uint64_t content_ = 0;       // where the content of the current record begins
  // Where the segment ends, once the reader has been there and gone back.
  std::optional<uint64_t> seen_end_;
  uint64_t read_again_ = 0;  // bytes that were searched for swallowed records
  bool lost_ = false;        // behind damage that has been counted: look for a record silently
  bool counted_ = false;     // the damage that ended the segment has been counted
};

}  // namespace kith::crawl
