// The exact similarity of candidates.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "kith/status.h"

#include "base/parallel/radix_sort.h"
#include "base/parallel/thread_pool.h"
#include "similar/sets/hash_sets.h"
#include "similar/sets/pair_rule.h"
#include "similar/sets/set_pair.h"

namespace kith::similar {

// Stands for the common elements of two sets that are no pair.
inline constexpr uint32_t no_pair = UINT32_MAX;

// The elements that set a of the first and set b of the second collection share, if the rule makes
// them a pair, else no_pair. Sets whose sizes say enough are not read. overlap_of: of the same
// collections.
uint32_t common_of_pair(const HashSets& first, uint32_t a, const HashSets& second, uint32_t b,
                        const PairRule& rule, OverlapReader& overlap_of);

// Candidates in batches, each pair in one of them. A batch is sorted, so that the sets of the
// smaller ids are read in the order of the file, each once. The pairs are those of one collection,
// or across two.
class SetVerification {
 public:
  // How many candidates a join of so much memory, in bytes, may hold at a time: an eighth of it,
  // within bounds. 0: any memory.
  static size_t max_candidates(uint64_t memory) {
    constexpr size_t most = 1 << 22;
    constexpr size_t least = 1 << 12;
    return memory == 0 ? most : std::clamp<size_t>(memory / 8 / bytes_per_candidate, least, most);
  }

  // The sinks get what the candidates bring; they and the sets outlive this object.
  SetVerification(const HashSets& sets, PairRule rule, const SetJoinSinks& sinks, ThreadPool& pool)
      : SetVerification(sets, sets, 0, rule, sinks, pool) {}
  // Of a candidate (key, id) the sets are first[key] and second[id - offset].
  SetVerification(const HashSets& first, const HashSets& second, uint32_t offset, PairRule rule,
                  const SetJoinSinks& sinks, ThreadPool& pool)
      : first_(first), second_(second), offset_(offset), rule_(rule), sinks_(sinks), pool_(pool) {}

  // Takes the candidates (key < id) and frees them; gives them on, and those that the rule makes
  // pairs, ascending: a is an id of the first collection, b one of the second.
  Status verify(std::vector<std::vector<ShortKeyId>>& by_worker);

  uint64_t verified() const { return verified_; }
  uint64_t similar() const { return similar_; }

 private:
  // Two copies of the sorted pair, what came in, and the pair that goes out.
  static constexpr uint64_t bytes_per_candidate =
      2 * sizeof(KeyId) + sizeof(ShortKeyId) + sizeof(SetPair);

  const HashSets& first_;
  const HashSets& second_;
  const uint32_t offset_;
  const PairRule rule_;
  const SetJoinSinks& sinks_;
  ThreadPool& pool_;
  uint64_t verified_ = 0;
  uint64_t similar_ = 0;
};
}  // namespace kith::similar
