// Pairs of sets: which rule makes a pair, candidates and their exact similarity, and where the
// joins of sets leave them.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "kith/status.h"

#include "base/budget.h"
#include "base/parallel/radix_sort.h"
#include "base/parallel/thread_pool.h"
#include "similar/sets/hash_sets.h"
#include "similar/tables/candidate_search.h"
#include "sketch/estimate.h"

namespace kith::similar {

// A pair, a < b.
struct SetPair {
  uint32_t a;
  uint32_t b;
  uint32_t common;  // elements in both
  friend auto operator<=>(const SetPair&, const SetPair&) = default;
};

// Receive what was found, from one thread at a time and, but for whole parts, outside the pool's
// jobs; an error ends the join.
struct SetJoinSinks {
  // Every candidate once, verified or not: key < id. In no order that can be relied on. May be
  // null.
  std::function<void(std::span<const ShortKeyId> candidates)> candidates;
  // Every candidate of the similarity once, or every one without verification; ascending within a
  // call.
  std::function<Status(std::span<const SetPair> sorted)> pairs;
  // The sets that meet in one bucket which is too large to compare all its pairs; `name` tells it
  // from the other buckets of the join. Two sets of it are a candidate if the method says so, but
  // they are given to neither of the others, unless they meet in a smaller bucket too. Null: every
  // pair is compared, however many there are.
  std::function<Status(uint64_t name, std::span<const uint32_t> ids)> whole_part;
};

// How a join of sets shares out its memory. Internal to this folder.

// The rows of signatures for which there is room at a time.
inline size_t rows_within(const Budget& memory, uint32_t lanes) {
  return memory.bytes(Share::set_rows) / CandidateSearch::bytes_per_row(lanes);
}

// The least memory with room for so many rows.
inline uint64_t memory_for_rows(uint64_t rows, uint32_t lanes) {
  return least_with(Share::set_rows, rows * CandidateSearch::bytes_per_row(lanes));
}

// Which pairs of sets are pairs of a join.

// What the similarity of two sets is.
enum class SetMeasure : uint8_t {
  resemblance,
  containment,  // of the smaller set in the larger one: the greater of both
};

struct PairRule {
  double similarity = 0.8;  // the minimum of the measure, (0, 1]
  // False: every candidate is a pair, whatever its similarity.
  bool verify = true;
  SetMeasure measure = SetMeasure::resemblance;
  // Sets whose subjects differ are no pair. Null: all may be pairs. Must outlive the rule.
  const Subjects* subjects = nullptr;

  bool is_similar(const sketch::SetOverlap& both) const {
    return (measure == SetMeasure::resemblance ? both.resemblance()
            : both.a <= both.b                 ? both.containment_of_a()
                                               : both.containment_of_b()) >= similarity;
  }
  bool same_subject(uint32_t a, uint32_t b) const {
    return subjects == nullptr || !subjects->differ(a, b);
  }
  // Whether a candidate, two sets of one collection, is a pair.
  bool is_pair(uint32_t a, uint32_t b, const sketch::SetOverlap& both) const {
    return (!verify || is_similar(both)) && same_subject(a, b);
  }
};

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
