// In which parts of the buckets some rows are: internal to this folder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "base/memory.h"
#include "base/parallel/radix_sort.h"
#include "base/parallel/thread_pool.h"
#include "cluster/lsh_buckets.h"
#include "cluster/order.h"

namespace kith::cluster {

// For every table, the rows that share their bucket in it with another id, by
// LshBuckets::short_part(), so that two parts are taken for one now and then, and the number of the
// row.
// Thread-safe for reading.
class PartLists {
 public:
  explicit PartLists(const LshBuckets& buckets) : buckets_(buckets) {}

  // Makes the lists of the rows at `positions`, numbered from 0. Calls visit(i, row) for each as
  // well, from several threads.
  void fill(const OrderedRows& rows, std::span<const size_t> positions, ThreadPool& pool,
            const std::function<void(size_t i, const Row& row)>& visit);
  // Gives every row the number numbers[i], and drops those for which that is no_number. The new
  // numbers ascend with the old.
  void renumber(std::span<const uint32_t> numbers, ThreadPool& pool);
  static constexpr uint32_t no_number = UINT32_MAX;

  uint32_t tables() const { return buckets_.tables.params().tables; }
  // Ascending by part, then by number.
  std::span<const ShortKeyId> operator[](uint32_t table) const { return lists_[table]; }

  // Bytes that a row takes, at most.
  static uint64_t bytes_per_row(uint32_t tables) {
    return tables * (sizeof(uint32_t) + sizeof(ShortKeyId));
  }

 private:
  // Rows whose parts lie together, table by table: they are found row by row, and are wanted table
  // by table.
  static constexpr size_t block = 256;
  static constexpr uint32_t no_part = UINT32_MAX;  // LshBuckets::short_parts() is not more

  std::span<uint32_t> parts_of_block(size_t number) {
    return parts_.span().subspan(number * tables() * block, tables() * block);
  }
  void make_list(uint32_t table, size_t rows, std::vector<ShortKeyId>& scratch);

  const LshBuckets& buckets_;
  LargeVector<uint32_t> parts_;                 // by block, by table, by row
  std::vector<std::vector<ShortKeyId>> lists_;  // by table
};

}  // namespace kith::cluster
