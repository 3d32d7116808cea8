#include "stream/clusters.h"

#include "base/check.h"

namespace kith::stream {

uint32_t ClusterTable::begin(uint64_t number) {
  auto cluster = static_cast<uint32_t>(entries_.size());
  if (free_.empty()) {
    entries_.emplace_back();
  } else {
    cluster = free_.back();
    free_.pop_back();
  }
  entries_[cluster].number = number;
  ++live_;
  link(cluster);
  return cluster;
}

void ClusterTable::end(uint32_t cluster) {
  KITH_CHECK(entries_[cluster].size == 0);
  unlink(cluster);
  entries_[cluster] = ClusterEntry();
  free_.push_back(cluster);
  --live_;
}

void ClusterTable::join(uint32_t cluster, uint32_t page) {
  ClusterEntry& entry = entries_[cluster];
  PageEntry& member = (*pages_)[page];
  member.cluster = cluster;
  member.previous = entry.last;
  member.next = nobody;
  if (entry.last == nobody) {
    entry.leader = page;
  } else {
    (*pages_)[entry.last].next = page;
  }
  entry.last = page;
  ++entry.size;
}

void ClusterTable::leave(uint32_t page) {
  PageEntry& member = (*pages_)[page];
  ClusterEntry& entry = entries_[member.cluster];
  (member.previous == nobody ? entry.leader : (*pages_)[member.previous].next) = member.next;
  (member.next == nobody ? entry.last : (*pages_)[member.next].previous) = member.previous;
  member.cluster = member.previous = member.next = nobody;
  --entry.size;
}

void ClusterTable::touch(uint32_t cluster, int64_t time, uint64_t page) {
  unlink(cluster);
  link(cluster);
  entries_[cluster].last_time = time;
  entries_[cluster].last_page = page;
}

void ClusterTable::link(uint32_t cluster) {
  entries_[cluster].older = newest_;
  entries_[cluster].newer = nobody;
  (newest_ == nobody ? oldest_ : entries_[newest_].newer) = cluster;
  newest_ = cluster;
}

void ClusterTable::unlink(uint32_t cluster) {
  const ClusterEntry& entry = entries_[cluster];
  (entry.older == nobody ? oldest_ : entries_[entry.older].newer) = entry.newer;
  (entry.newer == nobody ? newest_ : entries_[entry.newer].older) = entry.older;
}

}  // namespace kith::stream
