#include "library/unpacked_bags.h"

#include <algorithm>

#include "library/batch.h"
#include "sketch/packed_bag.h"

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
  if (!unpack_bag(entries, entries_)) return false;
  if (!entries.empty()) term_limit_ = std::max(term_limit_, uint64_t{entries_.back().term} + 1);
  offsets_.push_back(entries_.size());
  return true;
}

}  // namespace kith::library
