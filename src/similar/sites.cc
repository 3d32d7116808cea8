#include "similar/sites.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace kith::similar {

Sites::Sites(std::vector<uint32_t> first_ids, const DuplicateGroups& groups)
    : groups_(&groups), first_(std::move(first_ids)) {
  KITH_CHECK(groups.size() == 0 || (!first_.empty() && first_.front() == 0));
  for (uint32_t id = 0; id < groups.size(); ++id) {
    if (groups.is_representative(id) && groups.multiplicity[id] > 1) link_sites(id);
  }
}

IdRange Sites::site_of(uint32_t id) const {
  const auto next = std::ranges::upper_bound(first_, id);
  const auto size = static_cast<uint32_t>(groups_->size());
  return {*(next - 1), next == first_.end() ? size : *next};
}

uint32_t Sites::first_on_site(uint32_t id) const {
  const IdRange site = site_of(id);
  uint32_t member = groups_->representative[id];
  while (!site.has(member)) member = next_site_[member];
  return member;
}

void Sites::link_sites(uint32_t representative) {
  IdRange site = site_of(representative);
  uint32_t first = representative;  // on this host
  groups_->for_each_member(representative, [&](uint32_t member) {
    if (site.has(member)) return true;
    if (next_site_.empty()) next_site_.assign(groups_->size(), no_id);
    for (uint32_t id = first; id != member; id = groups_->next[id]) next_site_[id] = member;
    first = member;
    site = site_of(member);
    return true;
  });
}

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
