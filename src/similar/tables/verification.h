// Exact sums of candidates, and what follows from them. Internal to this folder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "kith/status.h"

#include "base/large_array.h"
#include "base/parallel/radix_sort.h"
#include "base/parallel/thread_pool.h"
#include "similar/classes.h"
#include "similar/duplicates.h"
#include "similar/neighbour.h"
#include "similar/query_weights.h"
#include "similar/sites.h"
#include "similar/top_lists.h"
#include "sketch/bag.h"

namespace kith::similar {

// Where the results of verified pairs go.
struct Answers {
  std::span<uint32_t> degree;  // by id of a representative
  TopLists* first;             // has the lists of the smaller ids, and of the larger unless
  TopLists* second;            // these are here; may be the same
  // The same of other hosts, where they are asked for.
  const Sites* sites = nullptr;
  TopLists* first_elsewhere = nullptr;
  TopLists* second_elsewhere = nullptr;
  TopLists& of(uint32_t id) const { return first->has(id) ? *first : *second; }
  TopLists& elsewhere(uint32_t id) const {
    return first_elsewhere->has(id) ? *first_elsewhere : *second_elsewhere;
  }
};

// Candidates in batches, each pair in one of them. A batch is sorted by the smaller id, so that
// one table of its weights serves all its candidates and its list is in cache; then by the larger
// id. Each id is in the hands of one thread at a time: there are no locks.
class Verification {
 public:
  // classes: pairs of two count in no degree. similar_only: lists have pairs with sum >= min_sum
  // only.
  Verification(const sketch::BagCollection& bags, const DuplicateGroups& groups,
               const Classes& classes, uint32_t min_sum, bool similar_only, uint64_t term_limit,
               ThreadPool& pool);

  // Takes the candidates (key < id, both of representatives) and frees them. `similar`, if not
  // null, receives the pairs with sum >= min_sum, sorted. Memory: 32 bytes per candidate, of which
  // 24 stay for the next batch.
  Status verify(std::vector<std::vector<ShortKeyId>>& by_worker, const Answers& answers,
                const std::function<Status(std::span<const Pair> sorted)>& similar);

  // To be called when there are no more: gives the memory back.
  void free_batches();

  uint64_t verified() const { return verified_; }
  uint64_t similar() const { return similar_ends_ / 2; }
  // By worker, for others to use once all candidates are verified.
  std::span<QueryWeights> weights() { return weights_; }

 private:
  void make_room(size_t candidates);
  void add_up(std::span<const ShortKeyId> sorted, std::span<ShortKeySum> sums);
  bool is_similar(uint32_t sum) const { return min_sum_ != 0 && sum >= min_sum_; }
  void keep(std::span<const ShortKeySum> sorted, const Answers& answers);
  void keep_elsewhere(std::span<const ShortKeySum> of_id, const Answers& answers) const;
  Status give(std::span<const ShortKeySum> sums,
              const std::function<Status(std::span<const Pair>)>& similar) const;

  const sketch::BagCollection& bags_;
  const DuplicateGroups& groups_;
  const Classes classes_;
  const uint32_t min_sum_;
  const uint32_t min_near_;  // of a neighbour
  const uint64_t term_limit_;
  ThreadPool& pool_;
  std::vector<QueryWeights> weights_;  // by worker
  // A batch and its sums, or what they are sorted by.
  LargeArray<std::byte> first_;
  LargeArray<std::byte> second_;
  uint64_t verified_ = 0;
  uint64_t similar_ends_ = 0;  // of similar pairs: two a pair
};

}  // namespace kith::similar
