// The K nearest URLs of other hosts, from lists of representatives.
//
// The list of a bag has, for each group of equal bags, the lowest member that is not on the host of
// the URL that asks; it is nearer or farther by that id (neighbour.h). So K entries suffice: the
// members of a group that is not among them have ids above these K at the same sum.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "similar/duplicates.h"
#include "similar/neighbour.h"
#include "similar/sites.h"

namespace kith::similar {

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
