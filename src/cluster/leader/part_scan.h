// CENTER over pairs that are known and over whole parts, whose pairs are found here: for a scan of
// what other machines have left (docs/algorithms/spark.md). The result is that of lsh_leaders() on
// the graph of both (docs/algorithms/center.md).
#pragma once

#include <cstdint>
#include <span>

#include "kith/options.h"

#include "cluster/clustering.h"
#include "similar/tables/part_pairs.h"
#include "sketch/bag.h"
#include "sketch/signature.h"

namespace kith::cluster {

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
