// From candidates of a bucket to neighbours with exact sums.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "kith/status.h"

#include "base/memory.h"
#include "base/parallel/radix_sort.h"
#include "base/parallel/thread_pool.h"
#include "similar/duplicates.h"
#include "similar/neighbour.h"
#include "similar/query_weights.h"
#include "similar/sites.h"
#include "similar/tables/block_rows.h"
#include "similar/tables/bucket_split.h"
#include "similar/top_lists.h"
#include "sketch/bag.h"
#include "sketch/lsh/tables.h"
#include "sketch/signature.h"

namespace kith::similar {

// Compares the members of buckets in cache.

// What a join looks for.
struct CandidateRule {
  uint32_t min_count = 0;  // of equal low bytes, of a pair that is worth an exact sum
  // Rows before this one are of one block and the others of another, and only pairs across are
  // compared; 0: one block, all pairs.
  uint32_t border = 0;
};

// Takes bucket after bucket of one table and finds the candidates: the pairs that reach the count
// and did not meet in an earlier table. The rows of many small buckets are fetched together, so
// that the memory works on many at a time, and each once. One for a thread.
class alignas(worker_alignment) BucketComparer {
 public:
  // `places` may change meanwhile, but not those of the tables before the one at hand, and of that
  // one only if places_known is false: then its buckets come split already.
  BucketComparer(const BlockRows& rows, const sketch::Tables& tables,
                 const sketch::SubsetMasks& masks, const BucketPlaces& places, bool places_known,
                 CandidateRule rule);

  // Compares the members of a bucket, soon; finish() ends the table. Members ascend if there is a
  // border. REQUIRES: all buckets between two calls of finish() are of one table.
  void add(uint32_t table, std::span<const uint32_t> members);
  // Compares each of `left` with each of `right`, other members of the same bucket, now.
  void compare(uint32_t table, std::span<const uint32_t> left, std::span<const uint32_t> right);
  void finish();

  // The pairs so far: key is the smaller id, id the larger.
  std::vector<ShortKeyId>& candidates() { return candidates_; }
  uint64_t compared() const { return compared_; }
  uint64_t passed() const { return passed_; }

 private:
  void fetch();
  void compare(size_t begin, size_t end);
  void compare_across(size_t begin, size_t border, size_t end);
  void compare_row(size_t row, size_t begin, size_t end);
  bool first_meeting(size_t a, size_t b);
  // Of two rows whose values in the table's lanes are equal.
  enum class Meeting : uint8_t { none, in_bucket, in_whole_part };
  Meeting meeting(uint32_t table, uint32_t a, uint32_t b);

  const BlockRows& rows_;
  const sketch::Tables& tables_;
  const sketch::SubsetMasks& masks_;
  const BucketPlaces& places_;
  const bool places_known_;
  const CandidateRule rule_;
  const sketch::RowKernels& kernels_;
  const size_t lanes_;
  uint32_t table_ = 0;
  std::vector<uint32_t> members_;  // of the buckets that wait
  std::vector<size_t> ends_;       // of these
  LargeVector<uint8_t> low_;       // their rows
  LargeVector<uint8_t> high_;
  std::vector<uint32_t> selected_;
  std::vector<uint64_t> equal_;
  std::vector<uint64_t> equal_high_;
  std::vector<uint16_t> values_;
  std::vector<ShortKeyId> candidates_;
  uint64_t compared_ = 0;
  uint64_t passed_ = 0;
};

// Exact sums of candidates, and what follows from them. Internal to this folder.

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
