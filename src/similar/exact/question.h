// A question to the index: its terms in coarse weights, in the order of their bounds.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "similar/duplicates.h"
#include "similar/neighbour.h"
#include "similar/sites.h"
#include "sketch/bag.h"

namespace kith::similar {

// Weights in coarse units, which fit 16 bits. Internal to this folder.

// One coarse unit is 2^7 of the bag's units: a whole bag has 51200. Rounded up, so that a sum of
// coarse minima is never below the exact sum, and exceeds it by less than one per common term.
inline constexpr uint32_t coarse_shift = 7;
inline constexpr uint32_t coarse_unit = 1u << coarse_shift;
inline constexpr uint32_t coarse_total = sketch::bag_total / coarse_unit;
static_assert(sketch::bag_total % coarse_unit == 0 && coarse_total <= UINT16_MAX);

constexpr uint32_t coarse(uint32_t weight) {
  return std::min((weight + coarse_unit - 1) >> coarse_shift, coarse_total);
}

// What an index of bags can be asked, and what it answers.

// Asks for the nearest on other hosts than that of the bag that asks.
struct OtherSitesQuestion {
  size_t top = 0;         // how many; 0: none
  uint32_t min_near = 0;  // smaller sums are left out
  const Sites* sites = nullptr;
  IdRange site = {};       // the ids of the host
  IdRange own_slots = {};  // those of groups that are on that host only
};

// Which bags may be similar to the bag that asks: those of its class.
struct ClassQuestion {
  Classes classes = {};
  uint32_t own = 0;

  bool has(uint32_t id) const { return classes.has_one() || classes.of(id) == own; }
};

// Several questions about one bag, answered in one pass.
struct Question {
  uint32_t min_sum = 0;                         // what counts as similar; 0: do not count
  size_t top = 0;                               // how many nearest; 0: none
  uint32_t min_near = 0;                        // smaller sums are left out of the nearest
  bool list = false;                            // also list all that are similar
  uint32_t except = no_id;                      // a slot to leave out
  std::span<const uint32_t> multiplicity = {};  // by id, for `count`; empty: all 1
  // With `list`: by id; only ids with a value above list_above are listed. Empty: all are.
  std::span<const uint32_t> list_key = {};
  uint32_t list_above = 0;
  ClassQuestion of_class = {};  // of what is similar; the nearest are of all classes
  OtherSitesQuestion other_sites = {};
};

struct Answer {
  std::vector<Neighbour> nearest;  // the `top` nearest with a sum > 0, nearest first
  // The nearest of other sites with a sum > 0, nearest first: of each group its first_outside().
  std::vector<Neighbour> other_sites;
  std::vector<Neighbour> similar;  // with `list`: all with sum >= min_sum
  uint64_t count = 0;              // of those with sum >= min_sum, by multiplicity
};

// What queries cost, for estimates and reports.
struct QueryWork {
  uint64_t queries = 0;
  uint64_t postings = 0;  // added to accumulators
  uint64_t cells = 0;     // bytes of dense terms added to accumulators
  uint64_t pruned = 0;    // postings and cells left out, since they could not change the answer
  uint64_t merges = 0;    // bags compared entry by entry

  QueryWork& operator+=(const QueryWork& other) {
    queries += other.queries;
    postings += other.postings;
    cells += other.cells;
    pruned += other.pruned;
    merges += other.merges;
    return *this;
  }
};

// In which order bags get their slots, so that those of a host are a range. Internal to this
// folder.

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
