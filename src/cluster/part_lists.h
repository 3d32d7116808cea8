// In which parts of the buckets some rows are: internal to this folder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "cluster/lsh_buckets.h"
#include "cluster/ordered_rows.h"
#include "parallel/radix_sort.h"
#include "parallel/thread_pool.h"

namespace kith::cluster {

// For every table, the rows that share their bucket in it with another id, by part: 32 bits of
// LshBuckets::part(), so that two parts are taken for one now and then, and the number of the row.
class PartLists {
 public:
  explicit PartLists(const LshBuckets& buckets) : buckets_(buckets) {}

  // Makes the lists of the rows at `positions`, numbered from `first` on. Calls visit(i, row) for
  // each as well, i from 0, from several threads.
  void fill(const OrderedRows& rows, std::span<const size_t> positions, uint32_t first,
            ThreadPool& pool, const std::function<void(size_t i, const Row& row)>& visit = nullptr);

  struct Scratch {
    std::vector<ShortKeyId> entries;
    std::vector<ShortKeyId> sorting;
  };
  // Sorted by part; a view of the scratch. Thread-safe with scratches of their own.
  std::span<const ShortKeyId> sorted(uint32_t table, Scratch& scratch) const;

  // Bytes that a row takes, at most.
  static uint64_t bytes_a_row(uint32_t tables) { return tables * sizeof(ShortKeyId); }

 private:
  using Lists = std::vector<std::vector<ShortKeyId>>;  // by table

  const LshBuckets& buckets_;
  std::vector<Lists> workers_;
};

}  // namespace kith::cluster
