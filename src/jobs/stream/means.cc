#include "jobs/stream/means.h"

#include <utility>

namespace kith::jobs {

Features MeanTable::of(uint32_t cluster) const {
  const auto found = entries_.find(cluster);
  return found == entries_.end() ? Features() : found->second.mean.view();
}

uint32_t MeanTable::changes(uint32_t cluster) const {
  const auto found = entries_.find(cluster);
  return found == entries_.end() ? 0 : found->second.changes;
}

bool MeanTable::is_due(uint32_t cluster, uint32_t size) {
  // A mean is made of all members, so that it is not made at every change. Before a nineteenth of
  // the members differ it cannot have drifted: (1 - 1/19) / (1 + 1/19) is drift_similarity
  // (follow.cc), where no word is cut off.
  uint32_t& changes = entries_[cluster].changes;
  if (!are_due(++changes, size)) return false;
  changes = 0;
  return true;
}

void MeanTable::set(uint32_t cluster, Features mean, uint32_t changes) {
  if (mean.empty() && changes == 0) return remove(cluster);
  Entry& entry = entries_[cluster];
  content_bytes_ -= entry.mean.bytes();
  entry = {KeptFeatures(mean), changes};
  content_bytes_ += entry.mean.bytes();
}

void MeanTable::remove(uint32_t cluster) {
  const auto found = entries_.find(cluster);
  if (found == entries_.end()) return;
  content_bytes_ -= found->second.mean.bytes();
  entries_.erase(found);
}

uint64_t MeanTable::bytes() const {
  constexpr uint64_t place_bytes = sizeof(std::pair<uint32_t, Entry>) + 1;
  return entries_.bucket_count() * place_bytes + content_bytes_;
}

}  // namespace kith::jobs
