// Standard output, or a file, in large blocks, with a write error that is noticed.
#pragma once

#include <cstdio>
#include <initializer_list>
#include <string>
#include <string_view>

#include "kith/rows.h"
#include "kith/status.h"

namespace kith::cli {

// Not thread-safe. Call finish() at the end and look at its Status: a full disk behind a
// redirection must not end in exit code 0.
class Output {
 public:
  Output() = default;
  ~Output();
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  // What is written from now on goes to a file, which is replaced unless it is one of a run.
  // REQUIRES: nothing was written.
  Status open(const std::string& path);
  void line(std::string_view text) {
    buffer_ += text;
    buffer_ += '\n';
    if (buffer_.size() >= block_) flush();
  }
  // The column names, where the format has a line for them.
  void header(const RowFormat& format) { buffer_ += format.header(); }
  void row(const RowFormat& format, std::initializer_list<RowField> fields) {
    format.append(buffer_, fields);
    if (buffer_.size() >= block_) flush();
  }
  // False after a write has failed: no use in going on.
  bool good() const { return good_; }
  Status finish();

 private:
  // The first rows come early: who reads a few, as `head` does, need not wait for many.
  static constexpr size_t first_block = 1 << 12;
  static constexpr size_t block = 1 << 16;
  void flush();
  void keep(bool success);
  std::FILE* out_ = stdout;
  std::string path_;  // empty: standard output
  std::string buffer_;
  size_t block_ = first_block;
  bool good_ = true;
  int cause_ = 0;  // errno of the first failure
};

// What to say when standard output failed with this errno.
Error output_error(int cause);

// Replaces the file at `path`; an error that names it when it cannot be written whole, or is a file
// of a run.
Status write_file(const std::string& path, std::string_view content);

}  // namespace kith::cli
