// What an index of bags can be asked, and what it answers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "similar/classes.h"
#include "similar/neighbour.h"
#include "similar/sites.h"

namespace kith::similar {

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

}  // namespace kith::similar
