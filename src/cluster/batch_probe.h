// Many rows ask the leader tables at once: internal to this folder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/large_array.h"
#include "cluster/leader_index.h"
#include "cluster/leader_rows.h"
#include "cluster/leader_tables.h"
#include "cluster/lsh_buckets.h"
#include "cluster/ordered_rows.h"
#include "cluster/part_lists.h"
#include "parallel/radix_sort.h"
#include "parallel/thread_pool.h"
#include "sketch/signature.h"

namespace kith::cluster {

// Finds the candidates of a batch of rows, table by table. The rows of a batch that are in one part
// of a bucket meet the same leaders, whose planes are then fetched once and compared in cache, ten
// times faster than one by one at random places.
class BatchProbe {
 public:
  BatchProbe(const LshBuckets& buckets, uint32_t plane_bar);

  // The leaders that share a part in some table with the rows at `positions` (of `rows`), or so it
  // seems (PartLists), and reach the bar: afterwards candidates(i) has those of positions[i].
  void run(const LeaderTables& tables, const LeaderRows& leaders, const OrderedRows& rows,
           std::span<const size_t> positions, ThreadPool& pool);

  // The same among the rows themselves: candidates(i) has the numbers below i of the rows that are
  // in one part with positions[i] in some table and reach the bar.
  void run_among(const OrderedRows& rows, std::span<const size_t> positions, ThreadPool& pool);

  // Entries with a leader, or the number of a row, as id, ascending, each once. Valid until the
  // next run.
  std::span<const ShortKeyId> candidates(size_t i) const {
    return std::span(found_).subspan(places_[i].begin, places_[i].end - places_[i].begin);
  }
  // Pairs compared on the plane, over all runs.
  uint64_t compared() const;

 private:
  // The rows that ask in a part of a bucket, and the end of its leaders among those that wait.
  struct Meeting {
    std::span<const ShortKeyId> asking;
    size_t end;
  };
  // Whom the rows ask: leaders, or each the rows before it.
  struct Asked {
    SignaturePlane plane;
    bool among;
  };
  struct Place {
    size_t begin = 0;
    size_t end = 0;
  };
  struct Worker {
    PartLists::Scratch lists;
    std::vector<uint32_t> leaders;  // of the parts that wait to be compared
    std::vector<Meeting> meetings;  // these parts
    std::vector<uint8_t> planes;    // of the leaders
    std::vector<uint32_t> selected;
    std::vector<ShortKeyId> found;  // row number, leader
    uint64_t compared = 0;
  };

  void take_rows(const OrderedRows& rows, std::span<const size_t> positions, ThreadPool& pool);
  // find(table, rest, leaders) appends those that the first part of `rest` asks.
  template <class Find>
  void probe_tables(const Asked& asked, ThreadPool& pool, const Find& find);
  void wait(std::span<const ShortKeyId> asking, Worker& worker) const;
  void compare_waiting(const Asked& asked, Worker& worker) const;
  void compare(uint32_t asking, size_t begin, size_t end, bool among, Worker& worker) const;
  void sort_found(ThreadPool& pool);

  const uint32_t tables_;
  const uint32_t plane_bar_;
  const uint32_t lanes_;
  const RowKernels& kernels_;
  size_t count_ = 0;  // rows of the batch
  PartLists lists_;   // of the rows of the batch
  LargeVector<uint8_t> planes_;
  std::vector<Worker> workers_;
  std::vector<ShortKeyId> found_;
  std::vector<ShortKeyId> scratch_;
  std::vector<Place> places_;  // in found_, by row
};

}  // namespace kith::cluster
