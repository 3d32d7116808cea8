// Rows and files for programs, and numbers as people read them.
#pragma once

#include <cstdint>
#include <cstdio>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kith/rows.h"
#include "kith/status.h"
#include "kith/stream.h"
#include "kith/table_files.h"

namespace kith::cli {

// Numbers and fields for people and for pipes.

std::string with_commas(uint64_t number);  // 1,234,567
// "1 page", "1,234 pages"; `many` where it is not `one` with an s.
std::string counted(uint64_t number, std::string_view one, std::string_view many = {});
std::string human_bytes(double bytes);           // 3.4 GB; powers of 1000: of files and texts
std::string human_memory(double bytes);          // 3.2 GiB; powers of 1024: of what --memory bounds
std::string human_seconds(double seconds);       // 0.42 s, 12.3 s, 4 min 05 s, 2 h 13 min
std::string similarity_text(double similarity);  // six decimals: enough to tell pairs apart
std::string percent(double share);               // 97.3 %

// Standard output, or a file, in large blocks, with a write error that is noticed.

// Not thread-safe. Call finish() at the end and look at its Status: a full disk behind a
// redirection must not end in exit code 0.
class Output {
 public:
  // tables: what makes files of the formats parquet and arrow; null: they are an error.
  explicit Output(std::shared_ptr<TableFiles> tables = {}) : tables_(std::move(tables)) {}
  ~Output();
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  // What is written goes to the file `path`, or where that is empty to standard output. The file is
  // replaced once something is written; an error where it is one of a run. REQUIRES: nothing was
  // written.
  Status open(const std::string& path);
  void line(std::string_view text) {
    has_begun_ = true;
    buffer_ += text;
    buffer_ += '\n';
    if (buffer_.size() >= block_) flush();
  }
  // Before the first row: the column names, where the format has a line for them. Once, however
  // often it is called.
  void header(const RowFormat& format);
  void row(const RowFormat& format, std::initializer_list<RowField> fields) {
    format.append(buffer_, fields);
    if (buffer_.size() >= block_) flush();
  }
  // False after something has failed: no use in going on.
  bool good() const { return status_.is_ok(); }
  Status finish();

 private:
  // The first rows come early: who reads a few, as `head` does, need not wait for many.
  static constexpr size_t first_block = 1 << 12;
  static constexpr size_t block = 1 << 16;
  void flush();
  Status begin_table(const RowFormat& format);
  Status write_bytes(std::string_view bytes);
  Error write_error() const;

  std::shared_ptr<TableFiles> tables_;
  std::unique_ptr<ListFile> table_;  // of which the rows become bytes
  std::FILE* out_ = stdout;          // null before a file is opened
  std::string path_;                 // empty: standard output
  std::string buffer_;
  size_t block_ = first_block;
  bool has_begun_ = false;
  Status status_;  // the first failure
};

// What to say when standard output failed with this errno.
Error output_error(int cause);

// Replaces the file at `path`; an error that names it when it cannot be written whole, or is a file
// of a run.
Status write_file(const std::string& path, std::string_view content);

// Where the answers of a stream go: standard output, or a file that has each of them once.

// Not thread-safe.
class AnswerOutput {
 public:
  // pairs: rows are those of pairs. path: empty for standard output.
  AnswerOutput(ListFormat format, bool pairs, std::string path);
  ~AnswerOutput();
  AnswerOutput(const AnswerOutput&) = delete;
  AnswerOutput& operator=(const AnswerOutput&) = delete;

  struct Kept {
    uint64_t rows = 0;
    uint64_t bytes = 0;  // of whole rows and the header
    bool fits = true;    // the first line is one of ours, or was going to be
  };

  // Opens a file, and takes from its end what is no whole row. A file with rows beside a stream
  // that is new is an error, as is one that has other rows. Returns the number of answers that have
  // arrived.
  Result<uint64_t> begin(const StreamProgress& progress);
  // Takes from the end of a file the rows of answers that the stream does not know any more, where
  // the log says why: it was cut when the machine went down, or was repaired. Else they are an
  // error, and stay.
  Status resume(const StreamProgress& progress);
  Status take(const StreamAnswer& answer);
  // All rows so far are the operating system's.
  Status flush();
  // All rows so far are on the disk; of standard output no more is known than with flush().
  Status settle();

 private:
  Result<uint64_t> open_file(bool is_new);
  // The whole rows of the file, up to so many.
  Kept kept_rows(uint64_t most) const;
  Status cut_file(uint64_t bytes) const;
  Error write_error() const;

  const RowFormat format_;
  const bool is_jsonl_;
  const std::string path_;
  std::FILE* out_ = stdout;
  uint64_t arrived_ = 0;
  std::string rows_;
};

}  // namespace kith::cli
