// Merging of sorted runs (Knuth, The Art of Computer Programming, vol. 3, 5.4.1): a tree of
// losers needs one comparison a level for every element that leaves it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "kith/status.h"

#include "base/check.h"
#include "base/parallel/radix_sort.h"
#include "storage/file_system.h"

namespace kith::storage {

// Plays k sources against each other. `less(a, b)` compares the current elements of sources
// a and b by index and must be a strict order in which an exhausted source is the largest;
// ties go to the source of the lower index, so the merge is stable. Not thread-safe.
template <class Less>
class LoserTree {
 public:
  // REQUIRES: sources > 0. All sources show their first element.
  LoserTree(size_t sources, Less less) : less_(std::move(less)), losers_(sources) {
    KITH_CHECK(sources > 0);
    losers_[0] = sources == 1 ? 0 : play(1);
  }

  // The source whose current element is the smallest.
  size_t winner() const { return losers_[0]; }

  // To be called after the winner has moved to its next element.
  void replay() {
    size_t champion = losers_[0];
    for (size_t node = (champion + losers_.size()) / 2; node > 0; node /= 2) {
      if (beats(losers_[node], champion)) std::swap(losers_[node], champion);
    }
    losers_[0] = champion;
  }

 private:
  // Leaves are the nodes [k, 2k): source s stands at node s + k.
  size_t play(size_t node) {
    if (node >= losers_.size()) return node - losers_.size();
    const size_t left = play(2 * node);
    const size_t right = play(2 * node + 1);
    const bool left_wins = beats(left, right);
    losers_[node] = left_wins ? right : left;
    return left_wins ? left : right;
  }

  bool beats(size_t a, size_t b) const {
    if (less_(a, b)) return true;
    return !less_(b, a) && a < b;
  }

  Less less_;
  std::vector<size_t> losers_;  // losers_[0] is the winner
};

// Sorted runs of (key, id) records: as files, as sources of blocks, and their merge. The parts
// that storage/external_sort.h is made of.

// The order of an external sort: by key, equal keys by id. It leaves nothing to the order in
// which records came.
template <class Record>
bool precedes(const Record& a, const Record& b) {
  return a.key != b.key ? a.key < b.key : a.id < b.id;
}

// Gives the records of a run block by block. Not thread-safe.
template <class Record>
class BasicRunSource {
 public:
  // A run in memory, which outlives the source: one block.
  explicit BasicRunSource(std::span<const Record> run) : block_(run) {}
  // A run file, read by blocks of up to `block` (> 0) records. `path` stands in errors.
  BasicRunSource(std::unique_ptr<ReadableFile> file, std::string path, size_t block);

  // The block after the last one, valid until the next call or a move; empty at the end of
  // the run, for ever.
  Result<std::span<const Record>> next_block();

 private:
  std::span<const Record> block_;  // a run in memory that was not given yet
  std::unique_ptr<ReadableFile> file_;
  std::string path_;
  uint64_t position_ = 0;  // bytes read
  std::vector<Record> buffer_;
};

// A run on the disk, 12 or 16 bytes per record (key, then id), removed with its object. Not
// thread-safe.
template <class Record>
class BasicRunFile {
 public:
  static Result<BasicRunFile> create(FileSystem& fs, std::string path);
  ~BasicRunFile();
  BasicRunFile(BasicRunFile&& other) noexcept;
  BasicRunFile& operator=(BasicRunFile&& other) noexcept;

  // Appends records, which are in order and follow those before. Packs them in place: their
  // values are lost.
  Status append(std::span<Record> records);
  // Ends the writing.
  Status close();
  // REQUIRES: close() was called; the file outlives the source.
  Result<BasicRunSource<Record>> open(size_t block) const;

 private:
  BasicRunFile(FileSystem& fs, std::string path) : fs_(&fs), path_(std::move(path)) {}

  FileSystem* fs_;  // null after a move
  std::string path_;
  std::unique_ptr<WritableFile> file_;
};

// Merges runs. Not thread-safe.
template <class Record>
class BasicRunMerge {
 public:
  // Reads the first block of every run. REQUIRES: there is a run.
  static Result<BasicRunMerge> create(std::vector<BasicRunSource<Record>> sources);

  // Writes the next records, in order, to the front of `out`; how many: fewer than out.size()
  // only at the end.
  Result<size_t> next(std::span<Record> out);

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

  explicit BasicRunMerge(std::vector<BasicRunSource<Record>> sources);
  Status refill(size_t source);
  void show(size_t source);

  std::vector<BasicRunSource<Record>> sources_;
  std::vector<std::span<const Record>> blocks_;  // what is left of every source's block
  std::vector<Head> heads_;
  std::vector<LoserTree<Precedes>> tree_;  // one, once all sources show their first record
};

}  // namespace kith::storage
