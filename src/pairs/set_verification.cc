#include "pairs/set_verification.h"

#include <algorithm>

namespace kith::pairs::internal {
namespace {

std::vector<KeyId> sorted_pairs(std::vector<std::vector<ShortKeyId>>& by_worker, ThreadPool& pool) {
  std::vector<KeyId> pairs;
  for (std::vector<ShortKeyId>& some : by_worker) {
    for (const ShortKeyId& pair : some) pairs.push_back({uint64_t{pair.key} << 32 | pair.id, 0});
    some = {};
  }
  std::vector<KeyId> scratch(pairs.size());
  radix_sort(pairs, scratch, pool);
  return pairs;
}

}  // namespace

SetVerification::SetVerification(const HashSets& sets, double similarity, uint64_t most_mapped,
                                 ThreadPool& pool)
    : sets_(sets), similarity_(similarity), most_mapped_(most_mapped), pool_(pool) {}

// What sets of such sizes cannot reach is not read.
uint32_t SetVerification::common(uint32_t a, uint32_t b) const {
  const uint64_t size_a = sets_.size_of(a);
  const uint64_t size_b = sets_.size_of(b);
  const SetOverlap most{size_a, size_b, std::min(size_a, size_b)};
  if (most.resemblance() < similarity_) return 0;
  const SetOverlap exact = overlap(sets_[a], sets_[b]);
  return exact.resemblance() < similarity_ ? 0 : static_cast<uint32_t>(exact.common);
}

Status SetVerification::verify(
    std::vector<std::vector<ShortKeyId>>& by_worker,
    const std::function<Status(std::span<const SetPair> sorted)>& similar) {
  constexpr size_t grain = 256;
  std::vector<KeyId> pairs = sorted_pairs(by_worker, pool_);
  verified_ += pairs.size();
  ResidentSets resident(sets_, most_mapped_);
  pool_.for_chunks(pairs.size(), grain, [&](size_t begin, size_t end, unsigned) {
    for (size_t i = begin; i < end; ++i) {
      const auto a = static_cast<uint32_t>(pairs[i].key >> 32);
      const auto b = static_cast<uint32_t>(pairs[i].key);
      pairs[i].id = common(a, b);
      resident.touch(a, b);
    }
  });
  std::vector<SetPair> found;
  for (const KeyId& pair : pairs) {
    if (pair.id == 0) continue;
    found.push_back(
        {static_cast<uint32_t>(pair.key >> 32), static_cast<uint32_t>(pair.key), pair.id});
  }
  similar_ += found.size();
  return similar ? similar(found) : Status::ok();
}

}  // namespace kith::pairs::internal
