// All pairs of sets by containment: samples of their elements find them.
#pragma once

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
#include "similar/sets/pair_rule.h"
#include "sketch/estimate.h"

namespace kith::similar {

// The samples of many sets, by element. Internal to this folder.

// Sets get numbers from 0 in the order in which they are added; freeze() makes it ready for
// look-ups, and then it is immutable and thread-safe.
class SampleIndex {
 public:
  // Bytes of a set, of so many samples, of which some are looked up.
  static uint64_t bytes_of(uint64_t samples, uint64_t looked_up);

  // The samples ascending; those that are looked up are among them. min_common: how many of the
  // samples a set must have that contains this one.
  void add(uint32_t id, std::span<const uint64_t> samples, std::span<const uint64_t> looked_up,
           uint32_t min_common);
  void freeze(ThreadPool& pool);

  size_t size() const { return ids_.size(); }
  uint32_t id(size_t number) const { return ids_[number]; }
  uint32_t min_common(size_t number) const { return min_common_[number]; }
  sketch::HashSet samples(size_t number) const {
    return sketch::HashSet(samples_).subspan(starts_[number],
                                             starts_[number + 1] - starts_[number]);
  }

  // Calls found(number) for every set of which `element` is looked up. REQUIRES: frozen.
  template <class Found>
  void find(uint64_t element, const Found& found) const {
    const uint64_t bit = element >> (64 - directory_bits_ - filter_bits);
    if ((filter_[bit / 64] >> bit % 64 & 1) == 0) return;
    const uint64_t cell = element >> (64 - directory_bits_);
    for (size_t at = cells_[cell]; at < cells_[cell + 1]; ++at) {
      if (postings_[at].key == element) found(postings_[at].id);
    }
  }

 private:
  // Most elements are looked up by nobody: so many bits per cell say so.
  static constexpr uint32_t filter_bits = 4;

  std::vector<uint32_t> ids_;
  std::vector<uint32_t> min_common_;
  std::vector<uint64_t> samples_;
  std::vector<uint64_t> starts_{0};
  std::vector<KeyId> postings_;  // by element
  // By the leading bits of an element, where its postings begin; as many cells as postings.
  std::vector<uint64_t> cells_;
  std::vector<uint64_t> filter_;
  uint32_t directory_bits_ = 1;
};

// All pairs of sets of which the larger contains the smaller (docs/algorithms/near-duplicates.md).
// MinHash finds sets of similar size; this finds a short document inside a long one.
struct ContainmentJoinOptions {
  double similarity = 0.8;  // the minimum |A n B| / |A| of a set A and one B as large, (0, 1]
  double recall = 0.99;     // of pairs of that containment, (0, 1)
  Budget memory = {};       // for what the join takes
};

// How the sets of a class of sizes were looked for.
struct SampledClass {
  uint64_t min_elements = 0;  // 2^j: sets of so many elements, up to twice as many
  uint64_t sets = 0;
  uint64_t one_in = 1;     // 2^i: of so many elements one is a sample
  uint64_t samples = 0;    // of all sets
  uint64_t looked_up = 0;  // of these, the ones that were looked for in the larger sets
};

struct ContainmentJoinStats {
  uint64_t met = 0;                   // pairs that share a sample which was looked for
  uint64_t candidates = 0;            // of these, share enough samples
  uint64_t similar = 0;               // of these, of the similarity
  uint64_t blocks = 0;                // that the sets were cut into, to fit the memory
  std::vector<SampledClass> classes;  // by size, ascending; those without sets are left out
};

// Joins the sets of `ids` (ascending, none empty, no two equal, each of fewer than 2^32 elements).
// The samples of as many sets as the memory allows are held, all sets are read and looked through
// for them, and a pair is a candidate when enough samples of the smaller set are in the larger
// one. Sets of less than 64 elements are looked for as a whole (fewer samples are taken of none),
// so that none of their pairs is missed. Every candidate is verified by overlap(). What is found
// is the same for any number of threads and any memory.
Result<ContainmentJoinStats> containment_join(
    const HashSets& sets, std::span<const uint32_t> ids, const ContainmentJoinOptions& options,
    ThreadPool& pool, const SetJoinSinks& sinks,
    const std::function<void(double share)>& progress = nullptr);

}  // namespace kith::similar
