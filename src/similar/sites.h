// Sites of ids, and neighbours on other sites.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "similar/duplicates.h"
#include "similar/neighbour.h"

namespace kith::similar {

// Which ids stand on one host. Ids are in the order of hosts, so a host is a range of ids.

// [begin, end) of ids or slots.
struct IdRange {
  uint32_t begin = 0;
  uint32_t end = 0;
  bool has(uint32_t id) const { return id >= begin && id < end; }
  friend bool operator==(const IdRange&, const IdRange&) = default;
};

// Immutable, thread-safe.
class Sites {
 public:
  // first_ids: the first id of every host, ascending from 0. The groups are those of all ids;
  // they must outlive this object.
  Sites(std::vector<uint32_t> first_ids, const DuplicateGroups& groups);

  // The number of hosts.
  size_t size() const { return first_.size(); }
  uint64_t bytes() const { return (first_.capacity() + next_site_.capacity()) * sizeof(uint32_t); }
  // The most that bytes() can be.
  static uint64_t max_bytes(uint64_t hosts, uint64_t ids) {
    return (hosts + ids) * sizeof(uint32_t);
  }

  // The ids of the host of an id. In logarithmic time.
  IdRange site_of(uint32_t id) const;

  // Whether the members of the group of this representative stand on several hosts.
  bool is_on_several(uint32_t representative) const {
    return !next_site_.empty() && next_site_[representative] != no_id;
  }

  // The lowest member of the group of a representative that is not in `site`, all ids of a host;
  // no_id where there is none.
  uint32_t first_outside(uint32_t representative, IdRange site) const {
    if (!site.has(representative)) return representative;
    return next_site_.empty() ? no_id : next_site_[representative];
  }

  // The next higher member after one that is not in `site` itself, or no_id.
  uint32_t next_outside(uint32_t member, IdRange site) const {
    const uint32_t next = groups_->next[member];
    return next != no_id && site.has(next) ? next_site_[next] : next;
  }

  // The lowest member of the group of `id` that stands on its host. Time linear in the hosts of the
  // group.
  uint32_t first_on_site(uint32_t id) const;

 private:
  void link_sites(uint32_t representative);

  const DuplicateGroups* groups_;
  std::vector<uint32_t> first_;
  // By id: the lowest member of its group on the next host, or no_id. Empty where every group is on
  // one host.
  std::vector<uint32_t> next_site_;
};

// That a join also looks for the nearest of other sites: URLs on other hosts.
struct OtherSites {
  // What a join takes for every id then, besides what it is given.
  static constexpr uint64_t bytes_per_id = 12;
  uint32_t top = 0;  // how many; 0: none
  const Sites* sites = nullptr;
};

// The K nearest URLs of other hosts, from lists of representatives.
//
// The list of a bag has, for each group of equal bags, the lowest member that is not on the host of
// the URL that asks; it is nearer or farther by that id (neighbour.h). So K entries suffice: the
// members of a group that is not among them have ids above these K at the same sum.

// The ids besides the representatives that need a list of their own: the first of a group on its
// host, where other hosts have some members of the group but fewer than k. Ascending.
std::vector<uint32_t> further_lists(const DuplicateGroups& groups, const OtherSites& others);

// The id whose list serves another: the lowest member of its group on its host. no_id where the
// group has k members elsewhere, since no list is needed then. Time linear in k.
uint32_t list_owner(const DuplicateGroups& groups, const OtherSites& others, uint32_t id);

// The K nearest of any id on other hosts: the members of its group there, then those of the groups
// in `list`, which is that of list_owner(). `nearest` is overwritten, nearest first. Thread-safe.
void expand_other_sites(std::span<const Neighbour> list, const OtherSites& others,
                        const DuplicateGroups& groups, uint32_t id,
                        std::vector<Neighbour>& nearest);

// In place of the list of an id that stands on another host than its representative: what the lists
// of the representative, of all hosts and of other hosts, have for it. Nearest first.
std::vector<Neighbour> list_of_member(std::span<const Neighbour> nearest,
                                      std::span<const Neighbour> elsewhere,
                                      const OtherSites& others, const DuplicateGroups& groups,
                                      uint32_t id);

}  // namespace kith::similar
