#include "similar/sets/equal_sets.h"

#include <algorithm>
#include <numeric>

#include "base/parallel/radix_sort.h"

namespace kith::similar {
namespace {

// Ids of one fingerprint, ascending: as good as always one set, and two at the most in any
// collection that there is.
void group(const HashSets& sets, std::span<const KeyId> run, EqualSets& groups) {
  std::vector<uint32_t> different;
  for (const KeyId& entry : run) {
    const auto same = std::ranges::find_if(
        different, [&](uint32_t id) { return same_set(sets, id, sets, entry.id); });
    if (same != different.end()) {
      groups.representative[entry.id] = *same;
    } else {
      different.push_back(entry.id);
    }
  }
}

}  // namespace

std::vector<uint32_t> EqualSets::distinct(const HashSets& sets) const {
  std::vector<uint32_t> ids;
  for (uint32_t id = 0; id < size(); ++id) {
    if (is_representative(id) && sets.size_of(id) > 0) ids.push_back(id);
  }
  return ids;
}

EqualSets find_equal_sets(const HashSets& sets,
                          const std::function<uint64_t(uint32_t id)>& fingerprint,
                          ThreadPool& pool) {
  EqualSets groups;
  groups.representative.resize(sets.size());
  std::iota(groups.representative.begin(), groups.representative.end(), 0u);
  groups.multiplicity.assign(sets.size(), 0);
  std::vector<KeyId> entries;
  for (uint32_t id = 0; id < sets.size(); ++id) {
    if (sets.size_of(id) > 0) entries.push_back({fingerprint(id), id});
  }
  {
    std::vector<KeyId> scratch(entries.size());
    radix_sort(entries, scratch, pool);
  }
  for (size_t begin = 0; begin < entries.size();) {
    size_t end = begin + 1;
    while (end < entries.size() && entries[end].key == entries[begin].key) ++end;
    if (end - begin > 1) group(sets, std::span(entries).subspan(begin, end - begin), groups);
    begin = end;
  }
  for (const uint32_t representative : groups.representative) ++groups.multiplicity[representative];
  return groups;
}

}  // namespace kith::similar
