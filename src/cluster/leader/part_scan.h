// CENTER in parts on many machines: which parts of buckets rows are in, and the scan of one part.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "kith/options.h"

#include "base/memory.h"
#include "base/parallel/radix_sort.h"
#include "base/parallel/thread_pool.h"
#include "cluster/clustering.h"
#include "cluster/lsh_buckets.h"
#include "cluster/order.h"
#include "similar/tables/bucket_scan.h"
#include "sketch/bag.h"
#include "sketch/signature.h"

namespace kith::cluster {

// In which parts of the buckets some rows are: internal to this folder.

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

// CENTER over pairs that are known and over whole parts, whose pairs are found here: for a scan of
// what other machines have left (docs/algorithms/spark.md). The result is that of lsh_leaders() on
// the graph of both (docs/algorithms/center.md).

// Rows a < b with their sum of minima.
struct RowPair {
  uint32_t a;
  uint32_t b;
  uint32_t sum_of_minima;
};

// Rows are numbered in scan order. Of those in whole parts there are bags and low bytes.
struct PartScanInput {
  uint32_t rows = 0;
  std::span<const uint32_t> rows_of_bags;  // ascending
  sketch::BagCollection bags;
  sketch::SignaturePlane plane;
  std::span<const RowPair> pairs;                // in any order
  std::span<const similar::PartMember> members;  // in any order, none twice
  uint32_t min_sum = 0;                          // similar means A >= min_sum; at least 1
  uint32_t plane_bar = 0;  // equal low bytes of two signatures that are compared
  Assign assign = Assign::first;
};

// Edges: the pairs, and of two rows of one part those that reach plane_bar and min_sum. Time: that
// of sorting, and for a row of a part a comparison with every center of the part before it; for
// Assign::best one with every center of the part besides.
Clustering scan_parts(const PartScanInput& input);

}  // namespace kith::cluster
