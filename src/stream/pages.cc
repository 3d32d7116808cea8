#include "stream/pages.h"

#include <utility>

#include "base/check.h"

namespace kith::stream {

std::optional<uint32_t> PageTable::find(std::string_view name) const {
  const auto found = by_name_.find(hash128(name));
  if (found == by_name_.end()) return std::nullopt;
  return found->second;
}

uint32_t PageTable::add(std::string_view name, Features features, int64_t time) {
  PageEntry entry;
  entry.name = name;
  entry.features = KeptFeatures(features);
  entry.time = time;
  content_bytes_ += bytes_of(entry);
  auto page = static_cast<uint32_t>(entries_.size());
  if (free_.empty()) {
    entries_.push_back(std::move(entry));
  } else {
    page = free_.back();
    free_.pop_back();
    entries_[page] = std::move(entry);
  }
  const bool is_new = by_name_.emplace(hash128(name), page).second;
  KITH_CHECK(is_new);
  return page;
}

void PageTable::remove(uint32_t page) {
  by_name_.erase(hash128(entries_[page].name));
  content_bytes_ -= bytes_of(entries_[page]);
  entries_[page] = PageEntry();
  free_.push_back(page);
}

uint64_t PageTable::bytes() const {
  constexpr uint64_t place_bytes = sizeof(Key128) + sizeof(uint64_t) + 1;
  return entries_.size() * sizeof(PageEntry) + content_bytes_ +
         by_name_.bucket_count() * place_bytes + free_.capacity() * sizeof(uint32_t);
}

}  // namespace kith::stream
