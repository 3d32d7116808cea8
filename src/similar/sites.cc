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

}  // namespace kith::similar
