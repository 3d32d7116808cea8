// What LSH tables have missed of the K nearest: lists completed by the neighbours of neighbours,
// and by candidates that share rare words (docs/algorithms/pairs.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kith/status.h"

#include "base/budget.h"
#include "base/memory.h"
#include "base/parallel/thread_pool.h"
#include "similar/duplicates.h"
#include "similar/query_weights.h"
#include "similar/sites.h"
#include "similar/top_lists.h"
#include "sketch/bag.h"
#include "sketch/signature.h"
#include "storage/file_system.h"

namespace kith::similar {

// The lists of neighbours as they were before a refinement: by ids alone. Internal to this folder.

// The links of an id: its nearest neighbours, nearest first, then the ids that list it among their
// nearest and are not among its own; of these those with the largest sums, and of equal sums the
// smaller ids. At most max_links of each kind. Immutable once frozen; thread-safe.
class NeighbourGraph {
 public:
  static constexpr uint32_t max_links = 12;

  // The links of lists of `top` neighbours that are finished. They lie in memory, or, if `spill`
  // has a file system, in a file of its folder without a name. Depends on the lists only.
  static Result<NeighbourGraph> freeze(const NearestLists& lists, uint32_t top,
                                       const ListSpill& spill, ThreadPool& pool);

  // Bytes of one id; while links are frozen, bytes_while_frozen() for every id of a block.
  static constexpr size_t bytes_of_one(uint32_t top) { return width(top) * sizeof(uint32_t); }
  static constexpr size_t bytes_while_frozen(uint32_t top) {
    return bytes_of_one(top) + TopLists::bytes_of_one(width(top) / 2);
  }

  // Has no effect but that links() may be faster.
  void prefetch(uint32_t id) const;
  // Valid until the next call with the same buffer.
  std::span<const uint32_t> links(uint32_t id, std::vector<uint32_t>& buffer) const;

 private:
  static constexpr uint32_t width(uint32_t top) { return 2 * (top < max_links ? top : max_links); }

  explicit NeighbourGraph(uint32_t top) : width_(width(top)) {}
  // Fills the rows of the ids of a block.
  void fill(const NearestLists& lists, size_t block, std::span<uint32_t> rows,
            ThreadPool& pool) const;
  TopLists reverse_lists(const NearestLists& lists, size_t block, ThreadPool& pool) const;

  uint32_t width_;
  LargeArray<uint32_t> rows_;                  // width_ an id, no_id behind the last link
  std::unique_ptr<storage::MappedFile> file_;  // in place of rows_
};

// Neighbours of neighbours: what LSH tables have missed of the K nearest (docs/algorithms/pairs.md,
// "Neighbours of neighbours"). Internal to this folder.
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
// other ids' lists and the links of its links. Those with the most equal low
// bytes, of equal counts the smaller ids, are compared exactly first, as long as the sum expected
// of the count would bring them into the list. The result depends on the lists, bags and
// signatures only. weights: one a worker.
Result<RefinementStats> refine(const Refined& refined, const RefinementOptions& options,
                               std::span<QueryWeights> weights, ThreadPool& pool);

// Candidates that share words which stand in few bags: what neither LSH tables nor neighbours of
// neighbours find of the K nearest (docs/algorithms/pairs.md, "Rare words"). Internal to this
// folder.

struct RareWordOptions {
  uint32_t top = 0;              // K of the lists, > 0
  uint32_t min_sum = 0;          // what counts as similar; 0: nothing
  OtherSites other_sites = {};   // whose lists are made better as well
  uint64_t term_limit = 0;       // above all terms
  uint64_t tabled_terms = 0;     // as in QueryWeights::set()
  Budget memory = {};            // for lists of words and for candidates
  bool bags_in_memory = true;    // else they are read one by one
  uint32_t max_postings = 8000;  // that are read for an id
  uint32_t max_candidates = 80;  // of an id, that are compared exactly
};

// What is made better: lists of representatives, finished, before and after.
struct RareWordLists {
  const sketch::BagCollection& bags;
  const DuplicateGroups& groups;
  NearestLists& nearest;
  NearestLists& other_sites;  // not looked at unless they are asked for
};

struct RareWordStats {
  uint64_t postings = 0;  // read
  uint64_t compared = 0;  // candidates, exactly
  uint64_t found = 0;     // of these, at the time nearer than the K-th of a list
  RareWordStats& operator+=(const RareWordStats& more);
};

// The sum of minima over rare words is a lower bound of the sum over all words. The other words are
// assumed to add so much at most: a heuristic, not a bound.
inline constexpr uint32_t sum_of_frequent_words = 5 * sketch::weight_one;
// The least K-th sum of a list that is good enough, if pairs from min_sum on are similar.
uint32_t good_sum(uint32_t min_sum);

// For every representative whose list is short, or whose K-th sum is below good_sum(): the lists of
// its words of the largest weight per bag, of as many as have max_postings in all, are read, and
// the minima of the weights added up. Of the ids that may enter a list, by their sum and
// sum_of_frequent_words, max_candidates with the largest sums, of equal sums the smaller ids, are
// compared exactly, until the rest may not. Every id changes its own lists only. The result depends
// on the lists and bags only, not on memory or threads. weights: one a worker.
Result<RareWordStats> find_by_rare_words(const RareWordLists& lists, const RareWordOptions& options,
                                         std::span<QueryWeights> weights, ThreadPool& pool);

}  // namespace kith::similar
