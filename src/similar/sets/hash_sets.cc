#include "similar/sets/hash_sets.h"

#include <algorithm>
#include <numeric>

#include "base/parallel/radix_sort.h"

namespace kith::similar {
namespace {

sketch::HashSet up_to(sketch::HashSet set, uint64_t last) {
  return set.first(static_cast<size_t>(std::ranges::upper_bound(set, last) - set.begin()));
}

// A set that is read part by part; the next part when all of the last is taken.
class PartReader {
 public:
  PartReader(const HashSets& sets, size_t id) : sets_(sets), id_(id), size_(sets.size_of(id)) {}

  // What is not yet taken of the current part; empty behind the last.
  sketch::HashSet rest() {
    if (part_.empty() && read_ < size_) {
      const auto count =
          static_cast<size_t>(std::min<uint64_t>(HashSets::part_size, size_ - read_));
      part_ = sets_.read(id_, read_, count, buffer_);
      read_ += count;
    }
    return part_;
  }
  void take(size_t elements) { part_ = part_.subspan(elements); }

 private:
  const HashSets& sets_;
  const size_t id_;
  const uint64_t size_;
  uint64_t read_ = 0;
  sketch::HashSet part_;
  SetBuffer buffer_;
};

}  // namespace

sketch::SetOverlap set_overlap(const HashSets& first, size_t a, const HashSets& second, size_t b) {
  sketch::SetOverlap both{first.size_of(a), second.size_of(b), 0};
  PartReader of_a(first, a);
  PartReader of_b(second, b);
  // Of the current part of each, what lies below the end of both: all of one of them.
  for (;;) {
    sketch::HashSet x = of_a.rest();
    sketch::HashSet y = of_b.rest();
    if (x.empty() || y.empty()) return both;
    const uint64_t last = std::min(x.back(), y.back());
    x = up_to(x, last);
    y = up_to(y, last);
    both.common += sketch::overlap(x, y).common;
    of_a.take(x.size());
    of_b.take(y.size());
  }
}

sketch::HashSet OverlapReader::Side::read(size_t wanted) {
  if (id != wanted) set = sets.read(wanted, buffer);
  id = wanted;
  return set;
}

sketch::SetOverlap OverlapReader::operator()(size_t a, size_t b) {
  const uint64_t larger = std::max(first_.sets.size_of(a), second_.sets.size_of(b));
  if (larger > HashSets::part_size) return set_overlap(first_.sets, a, second_.sets, b);
  return sketch::overlap(first_.read(a), second_.read(b));
}

bool same_set(const HashSets& first, size_t a, const HashSets& second, size_t b) {
  if (first.size_of(a) != second.size_of(b)) return false;
  PartReader of_a(first, a);
  PartReader of_b(second, b);
  for (;;) {
    const sketch::HashSet x = of_a.rest();
    if (x.empty()) return true;
    if (!std::ranges::equal(x, of_b.rest())) return false;
    of_a.take(x.size());
    of_b.take(x.size());
  }
}

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

bool subjects_differ(std::span<const uint32_t> a, std::span<const uint32_t> b) {
  if (a.empty() || b.empty()) return false;
  bool of_a = false;  // has a word that b has not
  bool of_b = false;
  size_t i = 0;
  size_t j = 0;
  while (i < a.size() || j < b.size()) {
    const bool is_end = i == a.size() || j == b.size();
    if (!is_end && sure_word(a[i]) == sure_word(b[j])) {
      ++i;
      ++j;
      continue;
    }
    const bool is_a = j == b.size() || (i < a.size() && a[i] < b[j]);
    const uint32_t word = is_a ? a[i++] : b[j++];
    if (word == sure_word(word)) return true;
    (is_a ? of_a : of_b) = true;
    if (of_a && of_b) return true;
  }
  return false;
}

}  // namespace kith::similar
