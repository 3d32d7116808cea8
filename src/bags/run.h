// Collapsed bags on their way to the final files: a run holds URLs in SURT order, each with
// its term counts. One partition gives one run.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kith/status.h"

#include "base/bytes.h"
#include "storage/file_system.h"

namespace kith::bags {

struct TermCount {
  uint32_t term;  // provisional id; ascending within a bag, each once
  uint32_t count;
  friend bool operator==(const TermCount&, const TermCount&) = default;
};

// What is known of one URL before weights are given.
struct RawBag {
  std::string surt;
  bool fetched = false;
  uint32_t inlinks = 0;  // capped at UINT32_MAX
  std::string title;
  std::vector<TermCount> terms;
};

// Appends a run's records to a file. Not thread-safe.
class RunWriter {
 public:
  static Result<RunWriter> create(storage::FileSystem& fs, const std::string& path);
  Status add(const RawBag& bag);
  Status finish();

 private:
  std::unique_ptr<storage::WritableFile> file_;
  std::string buffer_;
  std::string record_;
};

// Reads a run front to back in blocks. Not thread-safe.
class RunReader {
 public:
  // Memory: about block_bytes, more only for a larger record.
  static Result<RunReader> open(storage::FileSystem& fs, const std::string& path,
                                size_t block_bytes);
  // Moves to the next bag; false at the end. The run is our own file of this same run, so
  // bytes that are no run are an error of kind corrupt.
  Result<bool> next();
  const RawBag& bag() const { return bag_; }
  // What to say when a bag cannot be one of this run: the file is damaged.
  Error damaged() const;

 private:
  Result<bool> fill(size_t needed);
  bool parse(std::string_view record);

  std::unique_ptr<storage::ReadableFile> file_;
  std::string path_;
  uint64_t position_ = 0;  // of the byte after the buffer, in the file
  size_t block_bytes_ = 0;
  std::string buffer_;
  size_t begin_ = 0;  // of what is not yet read, in the buffer
  RawBag bag_;
};

}  // namespace kith::bags
