// Where the answers of a stream go: standard output, or a file that has each of them once.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "kith/rows.h"
#include "kith/status.h"
#include "kith/stream.h"

namespace kith::cli {

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

  const std::vector<std::string_view> columns_;
  const RowFormat format_;
  const bool is_jsonl_;
  const std::string path_;
  std::FILE* out_ = stdout;
  uint64_t arrived_ = 0;
  std::string rows_;
};

}  // namespace kith::cli
