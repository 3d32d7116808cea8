// The documents of a stream that are known, by name and by place.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "base/hash.h"
#include "stream/features.h"

namespace kith::stream {

inline constexpr uint32_t nobody = UINT32_MAX;

struct PageEntry {
  std::string name;
  KeptFeatures features;
  int64_t time = 0;       // ms, as the stream took it
  double similarity = 1;  // to the leader of its cluster
  uint32_t cluster = nobody;
  // Neighbours in the list of the cluster's members.
  uint32_t previous = nobody;
  uint32_t next = nobody;
};

// Places of documents that went are used again. Not thread-safe while it changes.
class PageTable {
 public:
  PageEntry& operator[](uint32_t page) { return entries_[page]; }
  const PageEntry& operator[](uint32_t page) const { return entries_[page]; }
  uint64_t size() const { return by_name_.size(); }

  std::optional<uint32_t> find(std::string_view name) const;
  // REQUIRES: the name is unknown; fewer than 2^32 - 1 documents.
  uint32_t add(std::string_view name, Features features, int64_t time);
  void remove(uint32_t page);

  uint64_t bytes() const;

 private:
  uint64_t bytes_of(const PageEntry& entry) const {
    return entry.name.capacity() + entry.features.bytes();
  }

  std::deque<PageEntry> entries_;
  std::vector<uint32_t> free_;
  boost::unordered_flat_map<Key128, uint32_t, Key128Hash> by_name_;
  uint64_t content_bytes_ = 0;  // of names and features
};

}  // namespace kith::stream
