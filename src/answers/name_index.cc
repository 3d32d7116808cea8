#include "answers/name_index.h"

#include <bit>

#include "base/bytes.h"
#include "base/hash.h"

namespace kith::answers {

NameIndex::NameIndex(const jobs::DocumentTable& documents) : documents_(documents) {
  slots_.assign(std::bit_ceil(uint64_t{documents.size()} * 3 / 2 + 2), none);
  for (uint32_t id = 0; id < documents.size(); ++id) {
    uint32_t& slot = slots_[slot_of(documents.name(id))];
    if (slot == none) slot = id;
  }
}

std::optional<uint32_t> NameIndex::find(std::string_view name) const {
  const uint32_t id = slots_[slot_of(name)];
  return id == none ? std::nullopt : std::optional(id);
}

size_t NameIndex::slot_of(std::string_view name) const {
  const size_t mask = slots_.size() - 1;
  size_t at = hash64(as_bytes(name)) & mask;
  while (slots_[at] != none && documents_.name(slots_[at]) != name) at = (at + 1) & mask;
  return at;
}

}  // namespace kith::answers
