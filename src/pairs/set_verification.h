// Exact resemblance of candidates. Internal to this folder.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "kith/status.h"

#include "pairs/hash_sets.h"
#include "pairs/set_join.h"
#include "parallel/radix_sort.h"
#include "parallel/thread_pool.h"

namespace kith::pairs::internal {

// Candidates in batches, each pair in one of them. A batch is sorted, so that the sets of the
// smaller ids are read in the order of the file, each once.
class SetVerification {
 public:
  // Two copies of the sorted pair, what came in, and the pair that goes out.
  static constexpr uint64_t bytes_a_candidate =
      2 * sizeof(KeyId) + sizeof(ShortKeyId) + sizeof(SetPair);

  // most_mapped: bytes of sets that may be resident; 0: any.
  SetVerification(const HashSets& sets, double similarity, uint64_t most_mapped, ThreadPool& pool);

  // Takes the candidates (key < id) and frees them; gives those of the similarity on, ascending.
  Status verify(std::vector<std::vector<ShortKeyId>>& by_worker,
                const std::function<Status(std::span<const SetPair> sorted)>& similar);

  uint64_t verified() const { return verified_; }
  uint64_t similar() const { return similar_; }

 private:
  // 0 for a pair that is not similar.
  uint32_t common(uint32_t a, uint32_t b) const;

  const HashSets& sets_;
  const double similarity_;
  const uint64_t most_mapped_;
  ThreadPool& pool_;
  uint64_t verified_ = 0;
  uint64_t similar_ = 0;
};

}  // namespace kith::pairs::internal
