// CENTER without a pair file: the fast path (DESIGN.md section 2, "CENTER").
//
// Each id, in scan order, asks an index of the leaders so far for those it is similar to. It
// joins the earliest of them, or becomes a leader and enters the index. That is CENTER on the
// graph whose edges the index would show; center_by_scan() is the slow twin. The leaders are a
// maximal independent set of that graph.
//
// The result is the same for any batch size and any number of threads, and depends on nothing
// but the arguments. See docs/algorithms/center.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "cluster/clustering.h"
#include "lsh/tables.h"
#include "parallel/thread_pool.h"
#include "sketch/bag.h"
#include "sketch/signature.h"

namespace kith::cluster {

struct LeaderOptions {
  uint32_t least_sum = 0;  // similar means A >= least_sum; at least 1
  Assign assign = Assign::first;
  size_t batch = 4096;       // ids probed in parallel against one state of the index; > 0
  double plane_miss = 1e-4;  // lsh_leaders(): see there; in [0, 1)
};

// What it took; the same for any number of threads, but not for any batch size.
struct LeaderStats {
  uint64_t leaders = 0;     // all centers, empty bags included
  uint64_t probes = 0;      // questions put to an index
  uint64_t candidates = 0;  // lsh: leaders looked at on the 8-bit plane
  uint64_t merges = 0;      // bags compared entry by entry
};

struct LeaderResult {
  Clustering clustering;  // of size bags.size(); no_center for ids that are not in the order
  LeaderStats stats;
};

// Called with the share of the work that is done, in [0, 1], from the calling thread.
using LeaderProgress = std::function<void(double share)>;

// Edges: all pairs with A >= least_sum. The leaders stand in a pairs::InvertedIndex.
// order: ids below bags.size(), each at most once (order.h); representatives only, where
// duplicates have been collapsed. An empty bag becomes a single.
// Memory: 8 bytes an id and the inverted index of the leaders.
LeaderResult exact_leaders(const BagCollection& bags, std::span<const uint32_t> order,
                           const LeaderOptions& options, ThreadPool& pool,
                           const LeaderProgress& progress = nullptr);

// What the LSH engine knows about the ids. Rows of ids that are not in the order are not read.
struct SketchedBags {
  BagCollection bags;
  Signatures signatures;
  SignaturePlane plane;  // low bytes of the signatures
};

// Edges: the pairs that collide in at least one table, agree in at least
// least_equal(s, lanes, 8, plane_miss) lanes of the plane, s being the similarity of least_sum,
// and have A >= least_sum. The plane thus costs a pair that the tables found at most a chance of
// plane_miss to be lost, most of it at s itself; what is kept has been compared on the bags.
// The leaders stand in l hash tables: memory 12 bytes an id, and 7 to 10 bytes a leader and
// table.
// REQUIRES: lanes of signatures, plane and tables agree; order as above.
LeaderResult lsh_leaders(const SketchedBags& sketched, const lsh::Tables& tables,
                         std::span<const uint32_t> order, const LeaderOptions& options,
                         ThreadPool& pool, const LeaderProgress& progress = nullptr);

}  // namespace kith::cluster
