// Groups of equal bags: collapsed before any join, since a crawl has many and equal bags have
// equal neighbours. Lossless.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/parallel/thread_pool.h"
#include "similar/classes.h"
#include "similar/neighbour.h"
#include "sketch/bag.h"

namespace kith::similar {

// Arrays of n, indexed by id. Equal means the same terms with the same weights. An empty bag is
// alone in its group: it is similar to nothing, not even to another empty bag.
struct DuplicateGroups {
  std::vector<uint32_t> representative;  // the lowest id with the same bag
  std::vector<uint32_t> next;            // the next higher id with the same bag, or no_id
  std::vector<uint32_t> multiplicity;    // the size of the group of an id, >= 1

  size_t size() const { return representative.size(); }
  bool is_representative(uint32_t id) const { return representative[id] == id; }
  // Whether another id has the same bag.
  bool has_copies(uint32_t id) const { return multiplicity[id] > 1; }
  // The number of groups, and of the ids that are not a representative.
  size_t groups() const;
  size_t duplicates() const { return size() - groups(); }

  // Calls visit(id) for the members of a group, ascending. visit returns false to stop.
  template <class Visit>
  void for_each_member(uint32_t representative_id, Visit&& visit) const {
    for (uint32_t id = representative_id; id != no_id; id = next[id]) {
      if (!visit(id)) return;
    }
  }
};

// Finds the groups by a hash of each bag, verified entry by entry; bags of different classes are in
// different groups. The same for any number of threads. Time linear in the entries; 32 bytes per
// bag of working memory, and the bags are released behind the passes over them.
DuplicateGroups find_duplicates(const sketch::BagCollection& bags, ThreadPool& pool,
                                const Classes& classes = {});

// Every bag a group of its own: for callers that do not collapse.
DuplicateGroups no_duplicates(size_t n);

// The ids that a join works on: the representatives of non-empty bags, ascending.
std::vector<uint32_t> distinct_bags(const sketch::BagCollection& bags,
                                    const DuplicateGroups& groups);

}  // namespace kith::similar
