// Collapsed bags on their way to the final files: a run holds URLs in SURT order, each with
// its term counts. One partition gives one run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kith/status.h"

#include "base/budget.h"
#include "base/bytes.h"
#include "base/dates.h"
#include "storage/file_system.h"
#include "storage/sorted_runs.h"

namespace kith::bags {

struct TermCount {
  uint32_t term;  // provisional id or slot (weights.h); ascending within a bag, each once
  uint32_t count;
  friend bool operator==(const TermCount&, const TermCount&) = default;
};

// What is known of one URL before weights are given.
struct RawBag {
  std::string surt;
  uint8_t facts = 0;       // tables.h; 0: not fetched
  uint32_t inlinks = 0;    // capped at UINT32_MAX
  uint64_t content = 0;    // Fragment::content
  int64_t time = no_time;  // of the capture
  std::string title;
  std::vector<TermCount> terms;
};

// Appends a run's records to a file. Not thread-safe.
class RunWriter {
 public:
  // Memory: about block_bytes, more only for a larger record.
  static Result<RunWriter> create(storage::FileSystem& fs, const std::string& path,
                                  size_t block_bytes = 1 << 20);
  Status add(const RawBag& bag);
  // The same of the bytes of a record (RunReader::record()).
  Status add(std::string_view record);
  Status finish();

 private:
  std::unique_ptr<storage::WritableFile> file_;
  size_t block_bytes_ = 0;
  std::string buffer_;
  std::string record_;
};

// The same as it is read, but for the terms: views of the bytes of a record.
struct RunRecord {
  std::string_view surt;
  uint8_t facts = 0;
  uint32_t inlinks = 0;
  uint64_t content = 0;
  int64_t time = no_time;
  std::string_view title;
};

// Takes the bytes of a record apart; `terms` are replaced. False if they are none. Thread-safe.
bool read_record(std::string_view bytes, RunRecord& record, std::vector<TermCount>& terms);
// The same but for the terms, which are not checked.
bool read_record(std::string_view bytes, RunRecord& record);

// Reads a run front to back in blocks; the file is open only while a block is read. Not
// thread-safe.
class RunReader {
 public:
  // Memory: about block_bytes, more only for a larger record. `fs` must outlive this object.
  static Result<RunReader> open(storage::FileSystem& fs, const std::string& path,
                                size_t block_bytes);
  // Moves to the next record; false at the end. The run is our own file of this same run, so
  // bytes that are no run are an error of kind corrupt.
  Result<bool> next();
  // The URL of the record, and all its bytes, which only read_record() checks. The views are valid
  // until the next call of next().
  std::string_view surt() const { return {buffer_.data() + surt_begin_, surt_bytes_}; }
  std::string_view record() const {
    return {buffer_.data() + begin_ - record_bytes_, record_bytes_};
  }
  // What to say when a record cannot be one of this run: the file is damaged.
  Error damaged() const;

 private:
  Result<bool> fill(size_t needed);

  storage::FileSystem* fs_ = nullptr;
  std::string path_;
  uint64_t size_ = 0;      // of the file
  uint64_t position_ = 0;  // of the byte after the buffer, in the file
  size_t block_bytes_ = 0;
  std::string buffer_;
  size_t begin_ = 0;  // of what is not yet read, in the buffer: the record ends there
  size_t record_bytes_ = 0;
  size_t surt_begin_ = 0;  // in the buffer
  size_t surt_bytes_ = 0;
};

// The records of many runs as one, in SURT order. Internal to this folder.

// Not thread-safe.
class RunMerger {
 public:
  // Memory: about read_buffers bytes, but 4 KiB per run at least. `fs` must outlive the object.
  static Result<std::unique_ptr<RunMerger>> open(storage::FileSystem& fs,
                                                 std::span<const std::string> run_paths,
                                                 uint64_t read_buffers);
  RunMerger(const RunMerger&) = delete;
  RunMerger& operator=(const RunMerger&) = delete;

  // Whether a record is left.
  bool more() const { return tree_ && open_[tree_->winner()]; }
  // The first of those that are left, of the lowest run if several have its URL; its bytes as
  // RunReader has them. The views are valid until next(). REQUIRES: more().
  std::string_view surt() const { return readers_[source()].surt(); }
  std::string_view record() const { return readers_[source()].record(); }
  size_t source() const { return tree_->winner(); }
  Status next();

  // What to say when a record of a run cannot be one.
  Error damaged(size_t source) const { return readers_[source].damaged(); }

 private:
  struct Less {
    const RunMerger* merger;
    bool operator()(size_t a, size_t b) const {
      if (!merger->open_[a]) return false;
      return !merger->open_[b] || merger->readers_[a].surt() < merger->readers_[b].surt();
    }
  };

  RunMerger() = default;

  std::vector<RunReader> readers_;
  std::vector<bool> open_;  // which of them have a record left
  std::optional<storage::LoserTree<Less>> tree_;
};

// Runs in which a URL may stand several times to one in which it stands once. Internal to this
// folder.

// Merges runs into one at `path` and removes them. Records of one URL become one: counts are added
// up, and the title is the first that is not empty. Calls take(bag) for every bag of the result, in
// order. Memory: about `memory`, shares of it, and the records of one URL. Files: RunMerger's, on
// several levels when there are many runs.
Status join_runs(storage::FileSystem& fs, std::vector<std::string> runs, const std::string& path,
                 const Budget& memory, const std::function<Status(const RawBag& bag)>& take);

}  // namespace kith::bags
