#include "similar/expand_pairs.h"

#include <algorithm>
#include <utility>

#include "similar/top_lists.h"

namespace kith::similar {
namespace {

bool by_id(const Neighbour& a, const Neighbour& b) {
  return a.id < b.id;
}

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
    list.clear();
    KITH_TRY(reader.take(id, similar));
    for (uint32_t twin = groups_.next[id]; twin != no_id; twin = groups_.next[twin]) {
      list.push_back({twin, sketch::bag_total});
    }
    expand_similar(similar, groups_, id, list);
    if (list.empty()) continue;
    if (!std::is_sorted(list.begin(), list.end(), by_id)) {
      std::sort(list.begin(), list.end(), by_id);
    }
    KITH_TRY(sink(id, list));
  }
  return Status::ok();
}

}  // namespace kith::similar
