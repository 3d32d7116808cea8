// Candidates on their way from many workers to their verification, in bounded memory. Internal to
// this folder.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "kith/status.h"

#include "base/parallel/radix_sort.h"
#include "base/parallel/thread_pool.h"
#include "similar/sets/hash_sets.h"
#include "similar/sets/pair_rule.h"
#include "similar/sets/set_pair.h"
#include "similar/sets/set_verification.h"

namespace kith::similar {

class CandidateBuffer {
 public:
  // Of a join of such sinks and memory in bytes, 0 for any; a task may bring more than fit it. The
  // sets and sinks outlive this object.
  CandidateBuffer(const HashSets& sets, PairRule rule, const SetJoinSinks& sinks, uint64_t memory,
                  ThreadPool& pool)
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
