// Sorted runs of (key, id) records: as files, as sources of blocks, and their merge. The parts
// that storage/external_sort.h is made of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kith/status.h"

#include "base/parallel/radix_sort.h"
#include "storage/file_system.h"
#include "storage/loser_tree.h"

namespace kith::storage {

// The order of an external sort: by key, equal keys by id. It leaves nothing to the order in
// which records came.
inline bool precedes(const KeyId& a, const KeyId& b) {
  return a.key != b.key ? a.key < b.key : a.id < b.id;
}

// Gives the records of a run block by block. Not thread-safe.
class RunSource {
 public:
  // A run in memory, which outlives the source: one block.
  explicit RunSource(std::span<const KeyId> run) : block_(run) {}
  // A run file, read by blocks of up to `block` (> 0) records. `path` stands in errors.
  RunSource(std::unique_ptr<ReadableFile> file, std::string path, size_t block);

  // The block after the last one, valid until the next call or a move; empty at the end of
  // the run, for ever.
  Result<std::span<const KeyId>> next_block();

 private:
  std::span<const KeyId> block_;  // a run in memory that was not given yet
  std::unique_ptr<ReadableFile> file_;
  std::string path_;
  uint64_t position_ = 0;  // bytes read
  std::vector<KeyId> buffer_;
};

// A run on the disk, 12 bytes per record (key, then id), removed with its object. Not thread-safe.
class RunFile {
 public:
  static Result<RunFile> create(FileSystem& fs, std::string path);
  ~RunFile();
  RunFile(RunFile&& other) noexcept;
  RunFile& operator=(RunFile&& other) noexcept;

  // Appends records, which are in order and follow those before. Packs them in place: their
  // values are lost.
  Status append(std::span<KeyId> records);
  // Ends the writing.
  Status close();
  // REQUIRES: close() was called; the file outlives the source.
  Result<RunSource> open(size_t block) const;

 private:
  RunFile(FileSystem& fs, std::string path) : fs_(&fs), path_(std::move(path)) {}

  FileSystem* fs_;  // null after a move
  std::string path_;
  std::unique_ptr<WritableFile> file_;
};

// Merges runs. Not thread-safe.
class RunMerge {
 public:
  // Reads the first block of every run. REQUIRES: there is a run.
  static Result<RunMerge> create(std::vector<RunSource> sources);

  // Writes the next records, in order, to the front of `out`; how many: fewer than out.size()
  // only at the end.
  Result<size_t> next(std::span<KeyId> out);

 private:
  // What the sources show to the tree. An exhausted source has `low` = UINT64_MAX, which is
  // above that of every record.
  struct Head {
    uint64_t key;
    uint64_t low;  // the id
  };
  struct Precedes {
    const Head* heads;
    bool operator()(size_t a, size_t b) const {
      const Head& x = heads[a];
      const Head& y = heads[b];
      return x.key != y.key ? x.key < y.key : x.low < y.low;
    }
  };

  explicit RunMerge(std::vector<RunSource> sources);
  Status refill(size_t source);
  void show(size_t source);

  std::vector<RunSource> sources_;
  std::vector<std::span<const KeyId>> blocks_;  // what is left of every source's block
  std::vector<Head> heads_;
  std::vector<LoserTree<Precedes>> tree_;  // one, once all sources show their first record
};

}  // namespace kith::storage
