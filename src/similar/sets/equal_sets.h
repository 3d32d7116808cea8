// Documents with equal sets of elements: collapsed before any join, as equal bags are
// (similar/duplicates.h). Lossless.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "base/parallel/thread_pool.h"
#include "similar/sets/hash_sets.h"

namespace kith::similar {

// Arrays of n, indexed by id. An empty set is alone in its group: it resembles nothing.
struct EqualSets {
  std::vector<uint32_t> representative;  // the lowest id with the same set
  std::vector<uint32_t> multiplicity;    // by representative: how many have its set; else 0

  size_t size() const { return representative.size(); }
  bool is_representative(uint32_t id) const { return representative[id] == id; }
  // The representatives of sets that are not empty, ascending: what a join works on.
  std::vector<uint32_t> distinct(const HashSets& sets) const;
};

// `fingerprint` gives a hash of a set by its id; sets that share one are compared element by
// element. The same for any number of threads. Memory: 40 bytes per set, of which 8 stay.
EqualSets find_equal_sets(const HashSets& sets,
                          const std::function<uint64_t(uint32_t id)>& fingerprint,
                          ThreadPool& pool);

}  // namespace kith::similar
