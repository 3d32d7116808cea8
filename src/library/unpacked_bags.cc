#include "library/unpacked_bags.h"

#include <algorithm>

#include "library/batch.h"

namespace kith::library {

Result<UnpackedBags> UnpackedBags::make(const PackedBags& packed) {
  UnpackedBags bags;
  bags.offsets_.reserve(packed.size() + 1);
  bags.entries_.reserve(packed.entries.size());
  for (size_t i = 0; i < packed.size(); ++i) {
    const uint64_t begin = packed.offsets[i];
    const uint64_t end = packed.offsets[i + 1];
    if (begin > end || end > packed.entries.size() ||
        !bags.add(packed.entries.subspan(begin, end - begin))) {
      return usage(fmt::format(
          "bag {}: its terms must ascend and its weights add up to 100; make it by features()", i));
    }
  }
  return bags;
}

bool UnpackedBags::add(std::span<const uint64_t> entries) {
  uint64_t total = 0;
  uint64_t next_term = 0;
  for (const uint64_t entry : entries) {
    const auto term = static_cast<uint32_t>(entry);
    const auto weight = static_cast<uint32_t>(entry >> 32);
    if (term < next_term || weight == 0) return false;
    next_term = uint64_t{term} + 1;
    total += weight;
    entries_.push_back({term, weight});
  }
  term_limit_ = std::max(term_limit_, next_term);
  offsets_.push_back(entries_.size());
  return entries.empty() || total == bag_total;
}

}  // namespace kith::library
