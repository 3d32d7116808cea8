#include "pairs/heavy_buckets.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

#include "parallel/radix_sort.h"

namespace kith::pairs::internal {
namespace {

constexpr uint32_t group = 16;      // tables whose keys are counted together
constexpr unsigned slot_bits = 14;  // of a key, for the counts
constexpr size_t slots = size_t{1} << slot_bits;
constexpr size_t grain = 1 << 14;

size_t slot_of(uint32_t table_in_group, uint32_t key) {
  return table_in_group * slots + (key >> (32 - slot_bits));
}

// One group of tables.
class Group {
 public:
  Group(const Signatures& signatures, std::span<const uint32_t> ids, const lsh::Tables& tables,
        uint32_t first, ThreadPool& pool)
      : signatures_(signatures),
        ids_(ids),
        tables_(tables),
        first_(first),
        count_(std::min(group, tables.params().tables - first)),
        pool_(pool) {}

  SearchStats split(BucketSplits& splits) {
    const std::vector<uint32_t> counts = count_slots();
    SearchStats stats;
    if (std::ranges::all_of(counts, [&](uint32_t n) { return n <= splits.largest(); })) {
      return stats;
    }
    std::vector<KeyId> entries = entries_of(counts, splits.largest());
    for (size_t begin = 0, end = 0; begin < entries.size(); begin = end) {
      while (end < entries.size() && entries[end].key == entries[begin].key) ++end;
      if (end - begin <= splits.largest()) continue;
      stats += {.split_buckets = 1, .split_members = end - begin, .largest_split = end - begin};
      split_bucket(std::span(entries).subspan(begin, end - begin), splits);
    }
    return stats;
  }

 private:
  // Calls visit(id, keys, worker) for every id.
  template <class Visit>
  void for_each_keys(const Visit& visit) {
    pool_.for_chunks(ids_.size(), grain, [&](size_t begin, size_t end, unsigned worker) {
      std::array<uint64_t, group> keys;
      const auto mine = std::span(keys).first(count_);
      for (size_t i = begin; i < end; ++i) {
        tables_.keys(first_, signatures_[ids_[i]], mine);
        visit(ids_[i], std::span<const uint64_t>(mine), worker);
      }
      signatures_.release(ids_[begin], size_t{ids_[end - 1]} + 1);
    });
  }

  std::vector<uint32_t> count_slots() {
    std::vector<std::vector<uint32_t>> counts(pool_.size(), std::vector<uint32_t>(count_ * slots));
    for_each_keys([&](uint32_t, std::span<const uint64_t> keys, unsigned worker) {
      for (uint32_t i = 0; i < count_; ++i) ++counts[worker][slot_of(i, bucket_key(keys[i]))];
    });
    std::vector<uint32_t> sums = std::move(counts.front());
    for (size_t worker = 1; worker < counts.size(); ++worker) {
      for (size_t slot = 0; slot < sums.size(); ++slot) sums[slot] += counts[worker][slot];
    }
    return sums;
  }

  // Those of the slots over the bound, sorted by table, key and id.
  std::vector<KeyId> entries_of(std::span<const uint32_t> counts, size_t largest) {
    std::vector<std::vector<KeyId>> parts(pool_.size());
    for_each_keys([&](uint32_t id, std::span<const uint64_t> keys, unsigned worker) {
      for (uint32_t i = 0; i < count_; ++i) {
        const uint32_t key = bucket_key(keys[i]);
        if (counts[slot_of(i, key)] > largest)
          parts[worker].push_back({uint64_t{i} << 32 | key, id});
      }
    });
    std::vector<KeyId> all;
    for (std::vector<KeyId>& part : parts) {
      all.insert(all.end(), part.begin(), part.end());
      std::vector<KeyId>().swap(part);
    }
    std::vector<KeyId> scratch(all.size());
    radix_sort(all, scratch, pool_);
    return all;
  }

  void split_bucket(std::span<const KeyId> bucket, BucketSplits& splits) {
    std::vector<uint32_t> ids;
    for (const KeyId& entry : bucket) ids.push_back(entry.id);
    std::ranges::sort(ids);
    std::vector<uint32_t> members(ids.size());
    std::iota(members.begin(), members.end(), 0u);
    const BlockRows rows(signatures_, std::move(ids), pool_);
    const uint64_t key = bucket.front().key;
    splits.split(first_ + static_cast<uint32_t>(key >> 32), static_cast<uint32_t>(key), rows,
                 members, [](std::span<uint32_t>) {});
  }

  const Signatures& signatures_;
  const std::span<const uint32_t> ids_;
  const lsh::Tables& tables_;
  const uint32_t first_;
  const uint32_t count_;
  ThreadPool& pool_;
};

}  // namespace

SearchStats split_heavy_buckets(const Signatures& signatures, std::span<const uint32_t> ids,
                                const lsh::Tables& tables, BucketSplits& splits, ThreadPool& pool) {
  SearchStats stats;
  for (uint32_t first = 0; first < tables.params().tables; first += group) {
    stats += Group(signatures, ids, tables, first, pool).split(splits);
  }
  return stats;
}

}  // namespace kith::pairs::internal
