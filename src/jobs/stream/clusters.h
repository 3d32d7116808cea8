// The clusters of a stream: members, ages, and the bags by which they are compared.
#pragma once

#include <cstdint>
#include <deque>

#include <boost/unordered/unordered_flat_map.hpp>

#include "jobs/stream/features.h"
#include "jobs/stream/pages.h"

namespace kith::jobs {

// The bags by which clusters are compared, where these are not the features of their first member.

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

// The clusters of a stream, with their members, from the one that has waited longest for a member
// to the one that had one last.
struct ClusterEntry {
  uint64_t number = 0;         // from 1; 0: the place is free
  uint32_t leader = nobody;    // the first member
  uint32_t in_index = nobody;  // the number of the leader in the index
  // Neighbours in the order of waiting.
  uint32_t older = nobody;
  uint32_t newer = nobody;
};

// When a cluster had its last member, or its leader came again.
struct LastMember {
  int64_t time = 0;  // of the stream
  uint64_t page = 0;
};

// Most clusters have one member: of these nothing is kept but the leader. Not thread-safe while it
// changes.
class ClusterTable {
 public:
  // keeps_waiting: whether last_member() is known; else it is zeros.
  ClusterTable(PageTable& pages, bool keeps_waiting)
      : pages_(&pages), keeps_waiting_(keeps_waiting) {}

  ClusterEntry& operator[](uint32_t cluster) { return entries_[cluster]; }
  const ClusterEntry& operator[](uint32_t cluster) const { return entries_[cluster]; }
  uint64_t size() const { return entries_.size(); }
  // The number of members.
  uint32_t size(uint32_t cluster) const;
  uint64_t bytes() const {
    return entries_.bytes() + lists_.bytes() + followers_.bytes() +
           waiting_.size() * sizeof(LastMember);
  }

  // The cluster that has waited longest; nobody when there is none. The others by `newer`.
  uint32_t oldest() const { return oldest_; }
  LastMember last_member(uint32_t cluster) const {
    return keeps_waiting_ ? waiting_[cluster] : LastMember();
  }

  // Of a page in a cluster: the member behind it, or nobody.
  uint32_t next(uint32_t page) const;
  // Its similarity to the leader; 1 for the leader itself.
  double similarity(uint32_t page) const;
  // REQUIRES: a member that does not lead.
  void set_similarity(uint32_t page, double similarity);

  // How many leaders have passed on since the members were compared with theirs; 0 of a cluster of
  // one.
  uint32_t passed(uint32_t cluster) const;
  // REQUIRES: several members, or 0.
  void set_passed(uint32_t cluster, uint32_t passed);

  // A new cluster without members, which has waited least.
  uint32_t begin(uint64_t number);
  // REQUIRES: the cluster has no members.
  void end(uint32_t cluster);
  // Makes the page the last member. The similarity of the first one is 1, whatever is given.
  void join(uint32_t cluster, uint32_t page, double similarity);
  // Takes a page out of its cluster, whose next member leads if it was the leader.
  void leave(uint32_t page);
  // The cluster has a member at this moment of the stream.
  void touch(uint32_t cluster, int64_t time, uint64_t page);

 private:
  // Of a member that does not lead: PageEntry::link is its place.
  struct Follower {
    double similarity = 1;
    // Neighbours in the list, or nobody.
    uint32_t previous = nobody;
    uint32_t next = nobody;
  };
  // The members that do not lead. Of a leader PageEntry::link is its place, or nobody.
  struct FollowerList {
    uint32_t first = nobody;
    uint32_t last = nobody;
    uint32_t size = 0;
    uint32_t passed = 0;
  };

  bool leads(uint32_t page) const { return entries_[(*pages_)[page].cluster].leader == page; }
  Follower& follower(uint32_t page) { return followers_[(*pages_)[page].link]; }
  const Follower& follower(uint32_t page) const { return followers_[(*pages_)[page].link]; }
  // Of the cluster, which has a leader.
  uint32_t& list_place(uint32_t cluster) { return (*pages_)[entries_[cluster].leader].link; }
  uint32_t list_place(uint32_t cluster) const { return (*pages_)[entries_[cluster].leader].link; }
  // Take a follower out of the list, which ends with its last one.
  void unlist(uint32_t cluster, uint32_t page);
  void link(uint32_t cluster);
  void unlink(uint32_t cluster);

  PageTable* pages_;
  bool keeps_waiting_;
  Places<ClusterEntry> entries_;
  Places<FollowerList> lists_;
  Places<Follower> followers_;
  std::deque<LastMember> waiting_;  // by cluster
  uint32_t oldest_ = nobody;
  uint32_t newest_ = nobody;
};

}  // namespace kith::jobs
