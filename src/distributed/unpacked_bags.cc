#include "distributed/unpacked_bags.h"

#include <algorithm>

#include "api/batch.h"
#include "sketch/packed_bag.h"

namespace kith::distributed {

Result<UnpackedBags> UnpackedBags::make(const PackedBags& packed) {
  UnpackedBags bags;
  bags.reserve(packed.entries.size());
  KITH_TRY(bags.add(packed));
  return bags;
}

Status UnpackedBags::add(const PackedBags& packed) {
  const size_t before = offsets_.size();
  for (size_t i = 0; i < packed.size(); ++i) {
    const uint64_t begin = packed.offsets[i];
    const uint64_t end = packed.offsets[i + 1];
    if (begin > end || end > packed.entries.size() ||
        !add_bag(packed.entries.subspan(begin, end - begin))) {
      offsets_.resize(before);
      entries_.shrink(offsets_.back());
      return api::usage(fmt::format(
          "bag {}: its terms must ascend and its weights add up to 100; make it by features()", i));
    }
  }
  return Status::ok();
}

UnpackedBags UnpackedBags::selected(std::span<const uint32_t> places) const {
  const sketch::BagCollection all = collection();
  UnpackedBags some;
  some.offsets_.reserve(places.size() + 1);
  for (const uint32_t place : places) {
    some.offsets_.push_back(some.offsets_.back() + all[place].size());
  }
  const std::span<sketch::BagEntry> entries = some.entries_.grow(some.offsets_.back());
  for (size_t i = 0; i < places.size(); ++i) {
    std::ranges::copy(all[places[i]], entries.begin() + static_cast<ptrdiff_t>(some.offsets_[i]));
  }
  some.term_limit_ = term_limit_;
  return some;
}

bool UnpackedBags::add_bag(std::span<const uint64_t> entries) {
  const std::span<sketch::BagEntry> bag = entries_.grow(entries.size());
  if (!sketch::unpack_bag(entries, bag)) return false;
  if (!bag.empty()) term_limit_ = std::max(term_limit_, uint64_t{bag.back().term} + 1);
  offsets_.push_back(entries_.size());
  return true;
}

}  // namespace kith::distributed
