// Neighbours of neighbours: what LSH tables have missed of the K nearest (docs/algorithms/pairs.md,
// "Neighbours of neighbours"). Internal to this folder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kith/status.h"

#include "base/parallel/thread_pool.h"
#include "similar/nearest_lists.h"
#include "similar/query_weights.h"
#include "sketch/bag.h"
#include "sketch/signature.h"

namespace kith::similar {

struct RefinementOptions {
  uint32_t top = 0;           // K of the lists, > 0
  uint32_t min_sum = 0;       // what counts as similar; 0: nothing
  bool similar_only = false;  // whether lists have pairs with sum >= min_sum only
  uint64_t term_limit = 0;    // as in QueryWeights::set()
  ListSpill spill = {};       // with a file system: signatures, bags and links are read one by one,
                              // the links from a file of the folder; else all lie in memory,
                              // whether or not the lists do
};

// What is refined: the bags and signatures of all ids, and what a join has found of them.
struct Refined {
  const sketch::BagCollection& bags;
  const sketch::Signatures& signatures;
  NearestLists& lists;  // of representatives, finished, before and after
};

struct RefinementStats {
  uint64_t candidates = 0;  // of all ids, compared by their low bytes
  uint64_t compared = 0;    // of these, exactly
  uint64_t found = 0;       // of these, at the time nearer than the K-th in the list
  RefinementStats& operator+=(const RefinementStats& more);
};

// The fewest equal low bytes, of so many lanes, of a candidate that is compared exactly.
uint32_t min_refinement_count(const RefinementOptions& options, uint32_t lanes);
// The largest sum that is expected of a pair with so many equal low bytes: a pair of a larger one
// has no more than so many with a probability of a fifth. By count, 0 to `lanes`; ascending.
std::vector<uint32_t> expected_sums(uint32_t lanes);

// Bytes of one id beside its bag and its list, while all lie in memory.
size_t refinement_bytes_of_one(uint32_t lanes, uint32_t top);

// One round of NN-Descent (Dong, Charikar, Li, "Efficient k-nearest neighbor graph construction for
// generic similarity measures", WWW 2011) over frozen lists. Candidates of an id are its links of
// other ids' lists and the links of its links (neighbour_graph.h). Those with the most equal low
// bytes, of equal counts the smaller ids, are compared exactly first, as long as the sum expected
// of the count would bring them into the list. The result depends on the lists, bags and
// signatures only. weights: one a worker.
Result<RefinementStats> refine(const Refined& refined, const RefinementOptions& options,
                               std::span<QueryWeights> weights, ThreadPool& pool);

}  // namespace kith::similar
