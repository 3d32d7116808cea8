// The samples of many sets, by element. Internal to this folder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/parallel/radix_sort.h"
#include "base/parallel/thread_pool.h"
#include "sketch/set_overlap.h"

namespace kith::similar {

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

}  // namespace kith::similar
