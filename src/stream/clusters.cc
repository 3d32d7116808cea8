#include "stream/clusters.h"

#include "base/check.h"

namespace kith::stream {

uint32_t ClusterTable::next(uint32_t page) const {
  return leads(page) ? (*pages_)[page].link : follower(page).next;
}

double ClusterTable::similarity(uint32_t page) const {
  return leads(page) ? 1 : follower(page).similarity;
}

void ClusterTable::set_similarity(uint32_t page, double similarity) {
  KITH_CHECK(!leads(page));
  follower(page).similarity = similarity;
}

uint32_t ClusterTable::begin(uint64_t number) {
  ClusterEntry entry;
  entry.number = number;
  const uint32_t cluster = entries_.add(entry);
  if (keeps_waiting_ && waiting_.size() <= cluster) waiting_.emplace_back();
  link(cluster);
  return cluster;
}

void ClusterTable::end(uint32_t cluster) {
  KITH_CHECK(entries_[cluster].size == 0);
  unlink(cluster);
  entries_.remove(cluster);
}

void ClusterTable::join(uint32_t cluster, uint32_t page, double similarity) {
  ClusterEntry& entry = entries_[cluster];
  PageEntry& member = (*pages_)[page];
  member.cluster = cluster;
  if (entry.last == nobody) {
    entry.leader = page;
    member.link = nobody;
  } else {
    member.link = followers_.add({similarity, entry.last, nobody});
    set_next(entry.last, page);
  }
  entry.last = page;
  ++entry.size;
}

void ClusterTable::leave(uint32_t page) {
  PageEntry& member = (*pages_)[page];
  ClusterEntry& entry = entries_[member.cluster];
  if (entry.leader == page) {
    leave_leader(entry);
  } else {
    leave_follower(entry, page);
  }
  member.cluster = member.link = nobody;
  --entry.size;
}

void ClusterTable::leave_leader(ClusterEntry& entry) {
  entry.leader = (*pages_)[entry.leader].link;
  if (entry.leader == nobody) {
    entry.last = nobody;
    return;
  }
  uint32_t& link = (*pages_)[entry.leader].link;
  const uint32_t next = followers_[link].next;
  followers_.remove(link);
  link = next;
}

void ClusterTable::leave_follower(ClusterEntry& entry, uint32_t page) {
  const Follower gone = follower(page);
  set_next(gone.previous, gone.next);
  (gone.next == nobody ? entry.last : follower(gone.next).previous) = gone.previous;
  followers_.remove((*pages_)[page].link);
}

void ClusterTable::set_next(uint32_t page, uint32_t next) {
  (leads(page) ? (*pages_)[page].link : follower(page).next) = next;
}

void ClusterTable::touch(uint32_t cluster, int64_t time, uint64_t page) {
  unlink(cluster);
  link(cluster);
  if (keeps_waiting_) waiting_[cluster] = {time, page};
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
