// From pairs of distinct bags to the pairs of all URLs, sorted, beyond memory.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kith/status.h"

#include "base/parallel/thread_pool.h"
#include "similar/duplicates.h"
#include "similar/neighbour.h"
#include "similar/pair_sink.h"
#include "storage/external_sort.h"

namespace kith::similar {

// Takes pairs of representatives in any order, each once, and gives the pairs of all ids,
// duplicates expanded, as exact_join() does; pairs of equal bags are included. A pair is written
// for each member of its groups that has one above it, and not for each pair of members, so that
// what is sorted is never longer than what is given. Memory: that of the sort, 4 bytes per id, and
// the pairs of one id. The result is the same for any memory and threads. Not thread-safe.
class PairExpander {
 public:
  // All outlive the expander; `sort` says where and within what pairs are sorted.
  PairExpander(const DuplicateGroups& groups, storage::FileSystem& fs, ThreadPool& pool,
               storage::ExternalSortOptions sort);

  // Not from inside a job of the pool.
  Status append(std::span<const Pair> pairs);

  // To be called once, after the last pair. An error of the sink ends it.
  Status finish(const PairSink& sink);

 private:
  Status append_members(uint32_t group, Neighbour other);

  const DuplicateGroups& groups_;
  std::vector<uint32_t> last_member_;  // by id of a representative
  storage::ExternalSort sort_;         // key: member << 32 | representative; id: sum of minima
};

}  // namespace kith::similar
