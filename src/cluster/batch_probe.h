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
#include "cluster/ordered_rows.h"
#include "lsh/tables.h"
#include "parallel/radix_sort.h"
#include "parallel/thread_pool.h"
#include "sketch/signature.h"

namespace kith::cluster {

// Finds the candidates of a batch of rows, table by table. The rows of a batch that share a key
// meet the same leaders, whose planes are then fetched once and compared in cache, ten times
// faster than one by one at random places. It matters where most collisions are: with the keys
// that very many bags share.
class BatchProbe {
 public:
  BatchProbe(const lsh::Tables& tables, const PlaneBars& bars);

  // The leaders that share a bucket tag in some table with the rows at `positions` (of `rows`) and
  // pass the bars: afterwards candidates(i) has those of positions[i].
  void run(const LeaderTables& hashed, const LeaderRows& leaders, const OrderedRows& rows,
           std::span<const size_t> positions, ThreadPool& pool);

  // Entries with a leader as id, ascending, each once. Valid until the next run().
  std::span<const ShortKeyId> candidates(size_t i) const {
    return std::span(found_).subspan(found_at_[i], found_at_[i + 1] - found_at_[i]);
  }
  // Pairs compared on the plane, over all runs.
  uint64_t compared() const;

 private:
  struct Worker {
    std::vector<KeyId> entries;  // the keys of one table, with the numbers of the rows
    std::vector<KeyId> scratch;
    std::vector<uint32_t> leaders;  // of one key
    std::vector<uint8_t> first;     // their planes
    std::vector<uint8_t> second;
    std::vector<uint32_t> selected;
    std::vector<ShortKeyId> found;  // row number, leader
    uint64_t compared = 0;
  };

  void take_rows(const OrderedRows& rows, std::span<const size_t> positions, ThreadPool& pool);
  void probe_table(uint32_t table, const LeaderTables& hashed, const LeaderRows& leaders,
                   Worker& worker) const;
  void compare(std::span<const KeyId> asking, const LeaderRows& leaders, Worker& worker) const;
  void sort_found(ThreadPool& pool);

  const lsh::Tables& tables_;
  const PlaneBars bars_;
  const uint32_t lanes_;
  const RowKernels& kernels_;
  const CountEqualKernel count_equal_;
  size_t count_ = 0;             // rows of the batch
  std::vector<uint64_t> keys_;   // table by table
  std::vector<uint8_t> planes_;  // of the rows that ask
  std::vector<Worker> workers_;
  std::vector<ShortKeyId> found_;
  std::vector<size_t> found_at_;
};

}  // namespace kith::cluster
