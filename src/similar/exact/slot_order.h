// In which order bags get their slots, so that those of a host are a range. Internal to this
// folder.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "similar/exact/question.h"
#include "similar/sites.h"

namespace kith::similar {

// Ids of representatives: ascending, but those of groups on several hosts come last, since they
// are of no host's range. Without other sites, just ascending.
class SlotOrder {
 public:
  // ids: ascending.
  SlotOrder(const OtherSites& others, std::span<const uint32_t> ids)
      : others_(others), ids_(ids.begin(), ids.end()), on_one_site_(ids_.size()) {
    if (others.top == 0) return;
    const auto rest = std::stable_partition(
        ids_.begin(), ids_.end(), [&](uint32_t id) { return !others.sites->is_on_several(id); });
    on_one_site_ = static_cast<size_t>(rest - ids_.begin());
  }

  // By slot.
  std::span<const uint32_t> ids() const { return ids_; }

  // The slot of an id, or no_id.
  uint32_t slot_of(uint32_t id) const {
    const auto middle = ids_.begin() + static_cast<ptrdiff_t>(on_one_site_);
    for (const auto& [begin, end] :
         {std::pair(ids_.begin(), middle), std::pair(middle, ids_.end())}) {
      const auto found = std::lower_bound(begin, end, id);
      if (found != end && *found == id) return static_cast<uint32_t>(found - ids_.begin());
    }
    return no_id;
  }

  // What an id asks for its nearest on other hosts.
  OtherSitesQuestion question(uint32_t id) const {
    if (others_.top == 0) return {};
    const IdRange site = others_.sites->site_of(id);
    const std::span<const uint32_t> ascending = ids().first(on_one_site_);
    const auto first_slot = [&](uint32_t first_id) {
      return static_cast<uint32_t>(std::ranges::lower_bound(ascending, first_id) -
                                   ascending.begin());
    };
    return {.top = others_.top,
            .sites = others_.sites,
            .site = site,
            .own_slots = {first_slot(site.begin), first_slot(site.end)}};
  }

 private:
  const OtherSites others_;
  std::vector<uint32_t> ids_;
  size_t on_one_site_;
};

}  // namespace kith::similar
