// All pairs of sets, each by its exact similarity (docs/algorithms/near-duplicates.md): found by
// LSH tables, by super-shingles, and by samples for containment.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "kith/status.h"

#include "base/budget.h"
#include "base/parallel/radix_sort.h"
#include "base/parallel/thread_pool.h"
#include "similar/sets/hash_sets.h"
#include "similar/sets/set_pairs.h"
#include "similar/tables/bucket_scan.h"
#include "sketch/estimate.h"
#include "sketch/lsh/tables.h"
#include "sketch/signature.h"
#include "storage/file_system.h"

namespace kith::similar {

struct SetJoinOptions {
  double similarity = 0.8;  // the minimum resemblance of a pair, (0, 1]
  bool verify = true;       // false: every candidate is a pair, whatever its resemblance
  // A pair that met is a candidate when its low bytes agree so often as those of a pair at the
  // similarity do but for this probability.
  double plane_miss = 1e-4;
  // The least bound of a bucket (bucket_scan.h raises it), at least 2.
  uint32_t largest_bucket = similar::largest_bucket;
  Budget memory = {};  // for what the join takes
};

struct SetJoinStats {
  uint64_t collisions = 0;  // pairs compared on the plane, repeats in later tables included
  uint64_t candidates = 0;  // different pairs that reached the bar
  uint64_t similar = 0;     // of these, of the similarity
  SplitStats splits;        // what was divided, so that pairs were lost
  uint64_t blocks = 1;      // that the ids were cut into, to fit the memory
};

// Joins the sets of `ids` (ascending, none empty, each of fewer than 2^32 elements; equal sets are
// pairs too): a pair is a candidate when it shares a bucket of some table and its signatures agree
// often enough, and every candidate is verified by overlap(). With a sink for whole parts, what
// meets in one of those of a bucket (bucket_split.h) is given to that. `signatures` has a row for
// every set, of tables.params().lanes. What is found is the same for any number of threads and any
// memory: what does not fit is done block by block. An error of kind usage when the memory is below
// min_set_join_memory().
Result<SetJoinStats> set_join(const HashSets& sets, std::span<const uint32_t> ids,
                              const sketch::Signatures& signatures, const sketch::Tables& tables,
                              const SetJoinOptions& options, ThreadPool& pool,
                              const SetJoinSinks& sinks,
                              const std::function<void(double share)>& progress = nullptr);

// The least memory of SetJoinOptions that set_join() does with, for so many ids and signatures of
// so many lanes.
uint64_t min_set_join_memory(size_t documents, uint32_t lanes);

// The count of equal low bytes, of `lanes`, that makes a pair which met a candidate.
uint32_t min_equal_bytes(const SetJoinOptions& options, uint32_t lanes);

// All pairs of a set of one collection and one of another by their exact resemblance: what
// set_join() is within a collection.

// Some sets of a collection. A view.
struct SetSide {
  const HashSets& sets;
  const sketch::Signatures& signatures;  // a row for every set, of the lanes of the tables
  std::span<const uint32_t> ids;         // ascending, none empty
};

// Receives pairs of the similarity, each once, but some of large buckets twice: `a` is an id of the
// first side, `b` one of the second. Ascending within a call, from one thread at a time; an error
// ends the join.
using CrossPairs = std::function<Status(std::span<const SetPair> sorted)>;

// Joins two sides: a pair is a candidate when it shares a bucket of some table, of the sets of both
// sides, and its signatures agree often enough; every candidate is verified by overlap(). In a
// large bucket a set of the first side that stays together with many of the second (pivot_rule())
// is compared with 512 of these, once, so that a family of similar sets takes no quadratic time:
// then what it resembles most may be missed, but hardly that it resembles any. What is found is the
// same for any number of threads and any memory: what does not fit is done block by block, besides
// 17 bytes per set of both sides. An error of kind usage when the two collections have more than
// 2^32 - 1 sets.
Result<SetJoinStats> set_cross_join(const SetSide& first, const SetSide& second,
                                    const sketch::Tables& tables, const SetJoinOptions& options,
                                    ThreadPool& pool, const CrossPairs& sink,
                                    const std::function<void(double share)>& progress = nullptr);

// Pairs of sets that share super-shingles, by their exact resemblance (Broder, "Identifying and
// filtering near-duplicate documents", 2000; docs/algorithms/near-duplicates.md).

struct SuperShingleJoinOptions {
  uint32_t minima = 14;  // s, of a super-shingle
  uint32_t groups = 6;   // super-shingles, of groups * minima <= lanes values
  uint32_t least = 2;    // that candidates share, 1 to groups
  PairRule rule;
  std::string scratch;  // of temporary files, as in ExternalSortOptions
  Budget memory = {};   // for what the join takes
  // Larger runs of sets that share a super-shingle are whole parts. At least 2.
  uint32_t largest_run = largest_bucket;
};

struct SuperShingleJoinStats {
  uint64_t collisions = 0;  // pairs compared, one that shares n super-shingles n times
  uint64_t candidates = 0;  // pairs that share enough of them
  uint64_t similar = 0;     // of these, of the similarity
  SplitStats whole;         // the runs that were given away as whole parts
};

// Every two sets of `ids` (ascending, none empty) that share at least `least` super-shingles. Each
// is verified by overlap(). Of sets that meet in a run over the bound for the first time no pair is
// made; the run is a whole part. Without a sink for these all pairs are compared, so that time
// grows with the pairs that share a super-shingle. `signatures` has a row for every set. The same
// for any number of threads and any memory. REQUIRES: options in range.
Result<SuperShingleJoinStats> super_shingle_join(
    storage::FileSystem& fs, const HashSets& sets, std::span<const uint32_t> ids,
    const sketch::Signatures& signatures, const SuperShingleJoinOptions& options, ThreadPool& pool,
    const SetJoinSinks& sinks, const std::function<void(double share)>& progress = nullptr);

// All pairs of sets by containment: samples of their elements find them.

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
