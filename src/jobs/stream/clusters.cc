#include "jobs/stream/clusters.h"

#include <utility>

#include "base/budget_shares.h"
#include "base/check.h"
#include "jobs/stream/engine.h"

namespace kith::jobs {

Features MeanTable::of(uint32_t cluster) const {
  const auto found = entries_.find(cluster);
  return found == entries_.end() ? Features() : found->second.mean.view();
}

uint32_t MeanTable::changes(uint32_t cluster) const {
  const auto found = entries_.find(cluster);
  return found == entries_.end() ? 0 : found->second.changes;
}

bool MeanTable::is_due(uint32_t cluster, uint32_t size) {
  // A mean is made of all members, so that it is not made at every change. Before a nineteenth of
  // the members differ it cannot have drifted: (1 - 1/19) / (1 + 1/19) is drift_similarity
  // (page_input.cc), where no word is cut off.
  uint32_t& changes = entries_[cluster].changes;
  if (!are_due(++changes, size)) return false;
  changes = 0;
  return true;
}

void MeanTable::set(uint32_t cluster, Features mean, uint32_t changes) {
  if (mean.empty() && changes == 0) return remove(cluster);
  Entry& entry = entries_[cluster];
  content_bytes_ -= entry.mean.bytes();
  entry = {KeptFeatures(mean), changes};
  content_bytes_ += entry.mean.bytes();
}

void MeanTable::remove(uint32_t cluster) {
  const auto found = entries_.find(cluster);
  if (found == entries_.end()) return;
  content_bytes_ -= found->second.mean.bytes();
  entries_.erase(found);
}

uint64_t MeanTable::bytes() const {
  constexpr uint64_t place_bytes = sizeof(std::pair<uint32_t, Entry>) + 1;
  return entries_.bucket_count() * place_bytes + content_bytes_;
}

uint32_t ClusterTable::size(uint32_t cluster) const {
  if (entries_[cluster].leader == nobody) return 0;
  const uint32_t list = list_place(cluster);
  return list == nobody ? 1 : lists_[list].size + 1;
}

uint32_t ClusterTable::next(uint32_t page) const {
  if (!leads(page)) return follower(page).next;
  const uint32_t list = (*pages_)[page].link;
  return list == nobody ? nobody : lists_[list].first;
}

double ClusterTable::similarity(uint32_t page) const {
  return leads(page) ? 1 : follower(page).similarity;
}

void ClusterTable::set_similarity(uint32_t page, double similarity) {
  KITH_CHECK(!leads(page));
  follower(page).similarity = similarity;
}

uint32_t ClusterTable::passed(uint32_t cluster) const {
  const uint32_t list = list_place(cluster);
  return list == nobody ? 0 : lists_[list].passed;
}

void ClusterTable::set_passed(uint32_t cluster, uint32_t passed) {
  const uint32_t list = list_place(cluster);
  if (list != nobody) lists_[list].passed = passed;
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
  KITH_CHECK(entries_[cluster].leader == nobody);
  unlink(cluster);
  entries_.remove(cluster);
}

void ClusterTable::join(uint32_t cluster, uint32_t page, double similarity) {
  PageEntry& member = (*pages_)[page];
  member.cluster = cluster;
  if (entries_[cluster].leader == nobody) {
    entries_[cluster].leader = page;
    member.link = nobody;
    return;
  }
  uint32_t& place = list_place(cluster);
  if (place == nobody) place = lists_.add({});
  FollowerList& list = lists_[place];
  member.link = followers_.add({similarity, list.last, nobody});
  (list.last == nobody ? list.first : follower(list.last).next) = page;
  list.last = page;
  ++list.size;
}

void ClusterTable::leave(uint32_t page) {
  PageEntry& member = (*pages_)[page];
  const uint32_t cluster = member.cluster;
  if (!leads(page)) {
    unlist(cluster, page);
  } else if (member.link == nobody) {
    entries_[cluster].leader = nobody;
  } else {
    const uint32_t heir = lists_[member.link].first;
    unlist(cluster, heir);
    (*pages_)[heir].link = member.link;
    entries_[cluster].leader = heir;
  }
  member.cluster = member.link = nobody;
}

void ClusterTable::unlist(uint32_t cluster, uint32_t page) {
  uint32_t& place = list_place(cluster);
  FollowerList& list = lists_[place];
  const Follower gone = follower(page);
  (gone.previous == nobody ? list.first : follower(gone.previous).next) = gone.next;
  (gone.next == nobody ? list.last : follower(gone.next).previous) = gone.previous;
  followers_.remove((*pages_)[page].link);
  if (--list.size > 0) return;
  lists_.remove(place);
  place = nobody;
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

// What a stream forgets: leaders that are too old, and those beyond its limits.

// Takes clusters that no page of this moment could join, and those that have waited too long.
void Engine::forget_old() {
  const auto is_beyond = [&](int64_t since, int64_t most) {
    // The difference of two times may be too large for its type.
    return clock_ > since && static_cast<uint64_t>(clock_) - static_cast<uint64_t>(since) >
                                 static_cast<uint64_t>(most);
  };
  while (!by_leader_time_.empty() && is_beyond(by_leader_time_.begin()->first, horizon_ms_)) {
    ++counts_.forgotten_age;
    forget(by_leader_time_.begin()->second);
  }
  const auto has_waited = [&](uint32_t cluster) {
    const LastMember last = clusters_.last_member(cluster);
    return (options_.forget_after_ms > 0 && is_beyond(last.time, options_.forget_after_ms)) ||
           (options_.forget_after_pages > 0 &&
            counts_.pages - last.page > options_.forget_after_pages);
  };
  while (clusters_.oldest() != nobody && has_waited(clusters_.oldest())) {
    ++counts_.forgotten_age;
    forget(clusters_.oldest());
  }
}

void Engine::forget_beyond_number() {
  if (options_.most_leaders == 0) return;
  while (clusters_.size() > options_.most_leaders) {
    ++counts_.forgotten_room;
    forget(clusters_.oldest());
  }
}

// Tables become smaller only when they are made anew: so an eighth of the clusters at a
// time, down to what stays.
uint64_t Engine::make_room() {
  if (options_.memory == 0 || bytes() <= options_.memory) return 0;
  const uint64_t before = clusters_.size();
  while (clusters_.size() > 1 && bytes() > part_of(options_.memory, Share::kept_documents)) {
    forget_oldest(clusters_.size() / 8 + 1);
  }
  return before - clusters_.size();
}

void Engine::forget_oldest(uint64_t clusters) {
  for (; clusters > 0 && clusters_.size() > 1; --clusters) {
    ++counts_.forgotten_room;
    forget(clusters_.oldest());
  }
  rebuild_index();
  pages_.tidy();
}

void Engine::forget(uint32_t cluster) {
  withdraw_leader(cluster);
  while (clusters_.size(cluster) > 0) {
    const uint32_t page = clusters_[cluster].leader;
    clusters_.leave(page);
    pages_.remove(page);
    ++counts_.forgotten_pages;
  }
  end_cluster(cluster);
}

uint64_t Engine::bytes() const {
  constexpr uint64_t set_node = 64;
  return pages_.bytes() + clusters_.bytes() + means_.bytes() + words_.bytes() + themes_.bytes() +
         index_->bytes() + indexed_.size() * sizeof(uint32_t) + by_leader_time_.size() * set_node;
}

}  // namespace kith::jobs
