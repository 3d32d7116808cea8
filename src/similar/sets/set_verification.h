// Candidates between sets, and their exact similarity.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "kith/status.h"

#include "base/budget.h"
#include "base/parallel/radix_sort.h"
#include "base/parallel/thread_pool.h"
#include "similar/sets/hash_sets.h"
#include "similar/sets/pair_rule.h"

namespace kith::similar {

// The exact similarity of candidates.

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
  // How many candidates a join of so much memory may hold at a time: their share of it, within
  // bounds.
  static size_t max_candidates(const Budget& memory) {
    constexpr size_t most = 1 << 22;
    constexpr size_t least = 1 << 12;
    return std::clamp<size_t>(memory.bytes(Share::set_candidates) / bytes_per_candidate, least,
                              most);
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

// Candidates on their way from many workers to their verification, in bounded memory. Internal to
// src/similar.
class CandidateBuffer {
 public:
  // Of a join of such sinks and memory; a task may bring more than fit it. The sets and sinks
  // outlive this object.
  CandidateBuffer(const HashSets& sets, PairRule rule, const SetJoinSinks& sinks,
                  const Budget& memory, ThreadPool& pool)
      : most_(SetVerification::max_candidates(memory)),
        pool_(pool),
        verification_(sets, rule, sinks, pool),
        candidates_(pool.size()) {}

  // Calls task(number, worker) once for every number below `tasks`. Where enough candidates are
  // held, it stops, verifies them and goes on. An error is that of a sink.
  Status run(size_t tasks, const std::function<void(size_t task, unsigned worker)>& task);

  // To be called by a task, with its worker. REQUIRES: a != b.
  void add(uint32_t a, uint32_t b, unsigned worker) {
    candidates_[worker].push_back(a < b ? ShortKeyId{a, b} : ShortKeyId{b, a});
  }

  // Verifies what is held still.
  Status flush();

  // Of what was verified.
  uint64_t candidates() const { return verification_.verified(); }
  uint64_t similar() const { return verification_.similar(); }

 private:
  const size_t most_;
  ThreadPool& pool_;
  SetVerification verification_;
  std::vector<std::vector<ShortKeyId>> candidates_;  // by worker
  std::vector<uint8_t> done_;                        // tasks
  std::atomic<size_t> held_ = 0;
};

}  // namespace kith::similar
