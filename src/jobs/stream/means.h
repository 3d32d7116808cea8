// The bags by which clusters are compared, where these are not the features of their first member.
#pragma once

#include <cstdint>

#include <boost/unordered/unordered_flat_map.hpp>

#include "jobs/stream/features.h"

namespace kith::jobs {

// The most entries of a mean, where the run whose words are used has no limit.
inline constexpr uint32_t usual_mean_terms = 1000;

// Clusters are known by their places. Not thread-safe while it changes.
class MeanTable {
 public:
  // The bag as it was signed; empty: the cluster is compared by the features of its first member.
  Features of(uint32_t cluster) const;
  // Members that came and went since the mean was last compared with the one that was signed.
  uint32_t changes(uint32_t cluster) const;

  // Whether so many changes of a cluster of `size` pages are enough to look at all of these again:
  // a sixteenth, so that the time is linear in the changes.
  static bool are_due(uint64_t changes, uint32_t size) { return changes * 16 >= size; }
  // Another member came or went, which makes `size` of them. True when so many have that it is time
  // to compare: then changes() is 0 again.
  bool is_due(uint32_t cluster, uint32_t size);
  // mean: may be empty.
  void set(uint32_t cluster, Features mean, uint32_t changes);
  void remove(uint32_t cluster);

  uint64_t bytes() const;

 private:
  struct Entry {
    KeptFeatures mean;
    uint32_t changes = 0;
  };

  boost::unordered_flat_map<uint32_t, Entry> entries_;
  uint64_t content_bytes_ = 0;  // of the means
};

}  // namespace kith::jobs
