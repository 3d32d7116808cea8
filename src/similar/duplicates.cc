#include "similar/duplicates.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "base/parallel/radix_sort.h"
#include "similar/top_lists.h"

namespace kith::similar {

BagsInMemory::BagsInMemory(const sketch::BagCollection& bags, ThreadPool& pool)
    : offsets_(bags.offsets().size()), entries_(bags.entries().size()) {
  std::ranges::copy(bags.offsets(), offsets_.data());
  std::vector<sketch::BagBuffer> buffers(pool.size());
  pool.for_chunks(bags.size(), bags.bags_in(4 << 20),
                  [&](size_t begin, size_t end, unsigned worker) {
                    const sketch::BagBlock block = bags.block(begin, end, buffers[worker]);
                    sketch::BagEntry* next = entries_.data() + offsets_[begin];
                    for (size_t id = begin; id < end; ++id)
                      next = std::ranges::copy(block[id], next).out;
                  });
  bags.release(0, bags.size());
  bags_ = sketch::BagCollection(offsets_.span(), entries_.span());
}

namespace {

// Links the members of runs of equal hashes into groups of truly equal bags. One a worker.
class Linker {
 public:
  Linker(const sketch::BagCollection& bags, const Classes& classes, DuplicateGroups& groups)
      : bags_(bags), classes_(classes), groups_(groups) {}

  // In nearly every run all are equal, so each bag is compared with the first of each group found
  // so far.
  void link(std::span<const KeyId> run) {
    std::vector<std::pair<uint32_t, uint32_t>> found;  // first and last member of a group
    for (const KeyId& member : run) {
      const auto group = std::ranges::find_if(
          found, [&](const auto& ends) { return equal(ends.first, member.id); });
      if (group == found.end()) {
        found.emplace_back(member.id, member.id);
        continue;
      }
      groups_.representative[member.id] = group->first;
      groups_.next[group->second] = member.id;
      group->second = member.id;
      ++groups_.multiplicity[group->first];
    }
    for (const auto& [first, last] : found) {
      for (uint32_t id = first; id != no_id; id = groups_.next[id]) {
        groups_.multiplicity[id] = groups_.multiplicity[first];
      }
    }
  }

 private:
  bool equal(uint32_t a, uint32_t b) {
    return classes_.share(a, b) &&
           std::ranges::equal(bags_.read(a, first_), bags_.read(b, second_));
  }

  const sketch::BagCollection& bags_;
  const Classes classes_;
  DuplicateGroups& groups_;
  std::vector<sketch::BagEntry> first_;
  std::vector<sketch::BagEntry> second_;
};

std::vector<KeyId> hash_bags(const sketch::BagCollection& bags, const Classes& classes,
                             ThreadPool& pool) {
  std::vector<KeyId> hashes(bags.size());
  std::vector<sketch::BagBuffer> buffers(pool.size());
  pool.for_chunks(bags.size(), bags.bags_in(1 << 20),
                  [&](size_t begin, size_t end, unsigned worker) {
                    const sketch::BagBlock block = bags.block(begin, end, buffers[worker]);
                    for (size_t id = begin; id < end; ++id) {
                      const auto own = static_cast<uint32_t>(id);
                      hashes[id] = {classes.key(hash64(std::as_bytes(block[id])), own), own};
                    }
                  });
  return hashes;
}

// The end of the run of equal keys that begins at `begin`.
size_t run_end(std::span<const KeyId> sorted, size_t begin) {
  size_t end = begin;
  while (end < sorted.size() && sorted[end].key == sorted[begin].key) ++end;
  return end;
}

}  // namespace

size_t DuplicateGroups::groups() const {
  size_t count = 0;
  for (size_t id = 0; id < size(); ++id) count += representative[id] == id;
  return count;
}

DuplicateGroups no_duplicates(size_t n) {
  DuplicateGroups groups;
  groups.representative.resize(n);
  std::iota(groups.representative.begin(), groups.representative.end(), 0u);
  groups.next.assign(n, no_id);
  groups.multiplicity.assign(n, 1);
  return groups;
}

DuplicateGroups find_duplicates(const sketch::BagCollection& bags, ThreadPool& pool,
                                const Classes& classes) {
  DuplicateGroups groups = no_duplicates(bags.size());
  std::vector<KeyId> hashes = hash_bags(bags, classes, pool);
  std::erase_if(hashes, [&](const KeyId& hash) { return bags[hash.id].empty(); });
  {
    std::vector<KeyId> scratch(hashes.size());
    radix_sort(hashes, scratch, pool);
  }
  const std::span<const KeyId> sorted = hashes;
  std::vector<Linker> linkers(pool.size(), Linker(bags, classes, groups));
  // A chunk handles the runs that begin in it.
  pool.for_chunks(sorted.size(), 4096, [&](size_t first, size_t last, unsigned worker) {
    size_t begin = first;
    if (begin > 0 && sorted[begin - 1].key == sorted[begin].key) begin = run_end(sorted, begin);
    while (begin < last) {
      const size_t end = run_end(sorted, begin);
      if (end - begin > 1) linkers[worker].link(sorted.subspan(begin, end - begin));
      begin = end;
    }
  });
  return groups;
}

std::vector<uint32_t> distinct_bags(const sketch::BagCollection& bags,
                                    const DuplicateGroups& groups) {
  std::vector<uint32_t> ids;
  ids.reserve(bags.size());
  for (uint32_t id = 0; id < bags.size(); ++id) {
    if (!bags[id].empty() && groups.is_representative(id)) ids.push_back(id);
  }
  return ids;
}

namespace {

// Reads sorted records one by one.
class Reader {
 public:
  explicit Reader(storage::SortedRecords records) : records_(std::move(records)) {}

  // Appends the neighbours that stand under `id`, of which no higher one was asked for.
  Status take(uint32_t id, std::vector<Neighbour>& out) {
    for (;; block_ = block_.subspan(1)) {
      if (block_.empty() && !at_end_) {
        KITH_ASSIGN(block_, records_.next());
        at_end_ = block_.empty();
      }
      if (at_end_ || block_.front().key >> 32 != id) return Status::ok();
      out.push_back({static_cast<uint32_t>(block_.front().key), block_.front().id});
    }
  }

 private:
  storage::SortedRecords records_;
  std::span<const KeyId> block_;
  bool at_end_ = false;
};

}  // namespace

PairExpander::PairExpander(const DuplicateGroups& groups, storage::FileSystem& fs, ThreadPool& pool,
                           storage::ExternalSortOptions sort)
    : groups_(groups), last_member_(groups.size()), sort_(fs, pool, std::move(sort)) {
  for (uint32_t id = 0; id < groups.size(); ++id) last_member_[groups.representative[id]] = id;
}

Status PairExpander::append_members(uint32_t group, Neighbour other) {
  const uint32_t last = last_member_[other.id];
  for (uint32_t id = group; id < last; id = groups_.next[id]) {
    KITH_TRY(sort_.append({uint64_t{id} << 32 | other.id, other.sum_of_minima}));
  }
  return Status::ok();
}

Status PairExpander::append(std::span<const Pair> pairs) {
  for (const Pair& pair : pairs) {
    KITH_TRY(append_members(pair.a, {pair.b, pair.sum_of_minima}));
    KITH_TRY(append_members(pair.b, {pair.a, pair.sum_of_minima}));
  }
  return Status::ok();
}

Status PairExpander::finish(const PairSink& sink) {
  KITH_ASSIGN(auto records, sort_.finish());
  Reader reader(std::move(records));
  std::vector<Neighbour> similar;
  std::vector<Neighbour> list;
  for (uint32_t id = 0; id < groups_.size(); ++id) {
    similar.clear();
    KITH_TRY(reader.take(id, similar));
    expand_pairs(similar, groups_, id, list);
    if (!list.empty()) KITH_TRY(sink(id, list));
  }
  return Status::ok();
}

}  // namespace kith::similar
