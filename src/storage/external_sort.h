// Sorting more (key, id) records than fit memory (Knuth, The Art of Computer Programming, vol. 3,
// 5.4): full buffers are radix-sorted and written as runs, and the runs are merged by a tree of
// losers, on several levels when there are many. Everything is read and written in large
// sequential blocks. A pair (a, b) with a weight is such a record: key a << 32 | b.
//
//   append -> buffers -> radix sort -> runs on the disk -> merge -> blocks of sorted records
//                            \______ all fits memory ______/
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kith/status.h"

#include "base/parallel/radix_sort.h"
#include "base/parallel/thread_pool.h"
#include "storage/file_system.h"
#include "storage/sorted_runs.h"

namespace kith::storage {

struct ExternalSortOptions {
  // Run files are SCRATCH.0, SCRATCH.1 and so on, in a folder that exists; nobody else uses
  // these names. They are gone when the sort and what it gave are destroyed, errors or not.
  std::string scratch;
  // Bytes of all buffers, at any time. Fewer than 3 blocks, or 32 bytes per writer, are taken for
  // that.
  uint64_t memory = uint64_t{256} << 20;
  // Threads that append at once. The memory is dealt out to them evenly.
  unsigned writers = 1;
  // The fewest bytes (>= 16) that are read or written at a time in a merge. The memory bounds how
  // many runs are merged at once: one for each of its blocks but the last, and 64 at most, so that
  // few files are open.
  size_t block = size_t{256} << 10;
};

// The result of a sort. Not thread-safe.
template <class Record>
class BasicSortedRecords {
 public:
  // The next records in order, valid until the next call or a move; empty at the end, for
  // ever. Errors are those of reading the run files.
  Result<std::span<const Record>> next();

 private:
  template <class>
  friend class BasicExternalSort;
  BasicSortedRecords() = default;

  std::vector<std::unique_ptr<Record[]>> buffers_;  // what runs in memory point to
  std::vector<BasicRunFile<Record>> files_;         // what runs on the disk are read from
  std::optional<BasicRunSource<Record>> only_;      // a single run needs no merge
  std::optional<BasicRunMerge<Record>> merge_;
  std::vector<Record> block_;
};

// Sorts by key, equal keys by id: the result depends neither on the order in which records come
// nor on memory, writers, blocks and threads. Equal records all stay. No file is written while
// every writer's records fit half its share of the memory (the other half is the radix sort's).
template <class Record>
class BasicExternalSort {
 public:
  // Both outlive the sort and its result.
  BasicExternalSort(FileSystem& fs, ThreadPool& pool, ExternalSortOptions options);

  // Thread-safe for different writers in [0, options.writers). With one writer a full buffer is
  // sorted by the pool, so that append() must not be called from inside one of its jobs; with
  // several, by the calling thread. After an error nothing but the destructor may be called.
  Status append(Record record, unsigned writer = 0) {
    Part& part = parts_[writer];
    if (part.size == part.capacity) KITH_TRY(make_room(part));
    part.values[part.size++] = record;
    return Status::ok();
  }

  // Sorts what is left, and merges until one merge remains, which happens as the result is
  // read. To be called once, when all writers are done and outside the pool's jobs; nothing may be
  // appended afterwards.
  Result<BasicSortedRecords<Record>> finish();

 private:
  // A writer's buffer; on its own cache lines.
  struct alignas(64) Part {
    std::unique_ptr<Record[]> values;
    std::unique_ptr<Record[]> scratch;
    size_t size = 0;
    size_t capacity = 0;  // 0 before the first record
  };

  Status make_room(Part& part);
  void sort(Part& part);
  Status spill(Part& part);
  Status for_parts(Status (BasicExternalSort::*job)(Part&));
  Status sort_in_memory(Part& part);
  Result<BasicRunFile<Record>> create_run();
  Result<BasicRunFile<Record>> merge(std::span<const BasicRunFile<Record>> runs);
  Result<BasicRunMerge<Record>> open(std::span<const BasicRunFile<Record>> runs, size_t block);
  Status reduce();
  size_t block_for(size_t runs) const;
  Result<BasicSortedRecords<Record>> from_memory();
  Result<BasicSortedRecords<Record>> from_files();

  FileSystem& fs_;
  ThreadPool& pool_;
  ExternalSortOptions options_;
  size_t share_;   // records of a writer's buffer
  size_t fan_in_;  // runs of a merge
  std::vector<Part> parts_;
  std::atomic<size_t> created_ = 0;
  std::mutex mutex_;
  std::vector<BasicRunFile<Record>> runs_;  // guarded by mutex_
};

using SortedRecords = BasicSortedRecords<KeyId>;
using ExternalSort = BasicExternalSort<KeyId>;
// 16 bytes on the disk as in memory.
using WideSortedRecords = BasicSortedRecords<WideKeyId>;
using WideExternalSort = BasicExternalSort<WideKeyId>;

}  // namespace kith::storage
