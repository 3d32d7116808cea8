// The clusters of a stream, with their members, from the one that has waited longest for a member
// to the one that had one last.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "stream/pages.h"

namespace kith::stream {

struct ClusterEntry {
  uint64_t number = 0;       // from 1; 0: the place is free
  uint32_t leader = nobody;  // the first member
  uint32_t last = nobody;    // the last one
  uint32_t size = 0;
  uint32_t in_index = nobody;  // the number of the leader in the index
  int64_t last_time = 0;       // of the stream, when the last member came
  uint64_t last_page = 0;      // likewise, in pages
  // Neighbours in the order of waiting.
  uint32_t older = nobody;
  uint32_t newer = nobody;
};

// Not thread-safe while it changes.
class ClusterTable {
 public:
  explicit ClusterTable(PageTable& pages) : pages_(&pages) {}

  ClusterEntry& operator[](uint32_t cluster) { return entries_[cluster]; }
  const ClusterEntry& operator[](uint32_t cluster) const { return entries_[cluster]; }
  uint64_t size() const { return live_; }
  uint64_t bytes() const { return entries_.size() * sizeof(ClusterEntry); }

  // The cluster that has waited longest; nobody when there is none. The others by `newer`.
  uint32_t oldest() const { return oldest_; }

  // A new cluster without members, which has waited least.
  uint32_t begin(uint64_t number);
  // REQUIRES: the cluster has no members.
  void end(uint32_t cluster);
  // Makes the page the last member.
  void join(uint32_t cluster, uint32_t page);
  // Takes a page out of its cluster, whose next member leads if it was the leader.
  void leave(uint32_t page);
  // The cluster has a member at this moment of the stream.
  void touch(uint32_t cluster, int64_t time, uint64_t page);

 private:
  void link(uint32_t cluster);
  void unlink(uint32_t cluster);

  PageTable* pages_;
  std::deque<ClusterEntry> entries_;
  std::vector<uint32_t> free_;
  uint64_t live_ = 0;
  uint32_t oldest_ = nobody;
  uint32_t newest_ = nobody;
};

}  // namespace kith::stream
