#include "similar/other_sites.h"

#include <algorithm>

namespace kith::similar {
namespace {

// The members of a group, from `first` on, that are not in `site`: their number, counted up to k.
uint32_t count_outside(const Sites& sites, uint32_t first, IdRange site, uint32_t k) {
  uint32_t count = 0;
  for (uint32_t id = first; id != no_id && count < k; id = sites.next_outside(id, site)) ++count;
  return count;
}

void append_outside(const Sites& sites, Neighbour first, IdRange site, uint32_t k,
                    std::vector<Neighbour>& out) {
  uint32_t count = 0;
  for (uint32_t id = first.id; id != no_id && count < k; id = sites.next_outside(id, site)) {
    out.push_back({id, first.sum_of_minima});
    ++count;
  }
}

// The firsts of a group on the hosts after that of its representative, as far as they need lists.
void append_further_lists(uint32_t representative, const DuplicateGroups& groups,
                          const OtherSites& others, std::vector<uint32_t>& out) {
  const Sites& sites = *others.sites;
  IdRange site = sites.site_of(representative);
  groups.for_each_member(representative, [&](uint32_t member) {
    if (site.has(member)) return true;
    site = sites.site_of(member);
    const uint32_t first = sites.first_outside(representative, site);
    if (count_outside(sites, first, site, others.top) < others.top) out.push_back(member);
    return true;
  });
}

}  // namespace

std::vector<uint32_t> further_lists(const DuplicateGroups& groups, const OtherSites& others) {
  std::vector<uint32_t> ids;
  if (others.top == 0) return ids;
  for (uint32_t id = 0; id < groups.size(); ++id) {
    if (groups.is_representative(id) && others.sites->is_on_several(id)) {
      append_further_lists(id, groups, others, ids);
    }
  }
  std::ranges::sort(ids);
  return ids;
}

uint32_t list_owner(const DuplicateGroups& groups, const OtherSites& others, uint32_t id) {
  const Sites& sites = *others.sites;
  const uint32_t own = groups.representative[id];
  if (!sites.is_on_several(own)) return own;
  const IdRange site = sites.site_of(id);
  const uint32_t first = sites.first_outside(own, site);
  if (count_outside(sites, first, site, others.top) == others.top) return no_id;
  return sites.first_on_site(id);
}

void expand_other_sites(std::span<const Neighbour> list, const OtherSites& others,
                        const DuplicateGroups& groups, uint32_t id,
                        std::vector<Neighbour>& nearest) {
  nearest.clear();
  const Sites& sites = *others.sites;
  const uint32_t k = others.top;
  const IdRange site = sites.site_of(id);
  const uint32_t own = groups.representative[id];
  if (groups.multiplicity[own] > 1) {
    append_outside(sites, {sites.first_outside(own, site), sketch::bag_total}, site, k, nearest);
  }
  size_t i = 0;
  // Equal bags of other classes are of other groups.
  for (; i < list.size() && list[i].sum_of_minima == sketch::bag_total; ++i) {
    append_outside(sites, list[i], site, k, nearest);
  }
  std::sort(nearest.begin(), nearest.end(), nearer);
  while (i < list.size() && nearest.size() < k) {
    // Groups that tie are merged by id: all their members compete for the places that are left.
    const size_t first = nearest.size();
    size_t tied = i;
    for (; tied < list.size() && list[tied].sum_of_minima == list[i].sum_of_minima; ++tied) {
      append_outside(sites, list[tied], site, k, nearest);
    }
    std::sort(nearest.begin() + static_cast<ptrdiff_t>(first), nearest.end(), nearer);
    i = tied;
  }
  if (nearest.size() > k) nearest.resize(k);
}

std::vector<Neighbour> list_of_member(std::span<const Neighbour> nearest,
                                      std::span<const Neighbour> elsewhere,
                                      const OtherSites& others, const DuplicateGroups& groups,
                                      uint32_t id) {
  const IdRange site = others.sites->site_of(id);
  std::vector<Neighbour> list;
  for (const auto entries : {nearest, elsewhere}) {
    for (const Neighbour entry : entries) {
      const uint32_t representative = groups.representative[entry.id];
      const uint32_t first = others.sites->first_outside(representative, site);
      if (first != no_id) list.push_back({first, entry.sum_of_minima});
    }
  }
  std::sort(list.begin(), list.end(), nearer);
  list.erase(std::unique(list.begin(), list.end()), list.end());
  return list;
}

}  // namespace kith::similar
