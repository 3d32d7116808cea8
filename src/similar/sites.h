// Which ids stand on one host. Ids are in the order of hosts, so a host is a range of ids.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "similar/duplicates.h"
#include "similar/neighbour.h"

namespace kith::similar {

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

}  // namespace kith::similar
