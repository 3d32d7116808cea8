// The leaders' own copies of what verification reads: internal to this folder.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "cluster/ordered_rows.h"
#include "sketch/bag.h"
#include "sketch/signature.h"

namespace kith::cluster {

// Leaders, numbered from 0 as they are added. Leaders are few beside the ids, so that their rows
// lie closer together than those of the collection, and stay when the collection's are released.
// The 8-bit plane is kept in two parts: most candidates are strangers, and the first lanes, a
// cache line, tell so. Thread-safe for reading.
class LeaderRows {
 public:
  explicit LeaderRows(uint32_t lanes) : lanes_(lanes), first_lanes_(std::min(lanes, most_first)) {}

  // The lanes of the plane's first part; the second has the others, and may have none.
  static uint32_t first_lanes(uint32_t lanes) { return std::min(lanes, most_first); }
  uint32_t lanes() const { return lanes_; }

  size_t size() const { return ids_.size(); }
  // Bytes of a leader beside its bag's entries.
  static size_t bytes_of_one(uint32_t lanes) {
    return lanes * (sizeof(uint16_t) + 1) + sizeof(uint32_t) + sizeof(Bag);
  }

  // Makes room, so that adding moves nothing.
  void reserve(size_t leaders) {
    ids_.reserve(leaders);
    bags_.reserve(leaders);
    signatures_.reserve(leaders * lanes_);
    first_plane_.reserve(leaders * first_lanes_);
    second_plane_.reserve(leaders * (lanes_ - first_lanes_));
  }

  void add(const Row& row) {
    ids_.push_back(row.id);
    bags_.push_back(store(row.bag));
    signatures_.insert(signatures_.end(), row.signature.begin(), row.signature.end());
    append_low_bytes(row.signature.first(first_lanes_), first_plane_);
    append_low_bytes(row.signature.subspan(first_lanes_), second_plane_);
  }

  void clear() {
    ids_.clear();
    bags_.clear();
    signatures_.clear();
    first_plane_.clear();
    second_plane_.clear();
    blocks_.clear();
    block_size_ = block_used_ = 0;
  }

  uint32_t id(uint32_t leader) const { return ids_[leader]; }
  Bag bag(uint32_t leader) const { return bags_[leader]; }
  std::span<const uint16_t> signature(uint32_t leader) const {
    return std::span(signatures_).subspan(size_t{leader} * lanes_, lanes_);
  }
  SignaturePlane first_plane() const { return {first_plane_, first_lanes_}; }
  SignaturePlane second_plane() const { return {second_plane_, lanes_ - first_lanes_}; }

 private:
  static constexpr uint32_t most_first = 64;
  static constexpr size_t block_entries = size_t{1} << 17;  // 1 MiB

  static void append_low_bytes(std::span<const uint16_t> values, std::vector<uint8_t>& plane) {
    plane.resize(plane.size() + values.size());
    low_bytes(values, std::span(plane).last(values.size()));
  }

  // Blocks do not move when more come.
  Bag store(Bag bag) {
    if (block_used_ + bag.size() > block_size_) {
      block_size_ = std::max(block_entries, bag.size());
      blocks_.push_back(std::make_unique_for_overwrite<BagEntry[]>(block_size_));
      block_used_ = 0;
    }
    BagEntry* const copy = blocks_.back().get() + block_used_;
    std::ranges::copy(bag, copy);
    block_used_ += bag.size();
    return {copy, bag.size()};
  }

  const uint32_t lanes_;
  const uint32_t first_lanes_;
  std::vector<uint32_t> ids_;
  std::vector<Bag> bags_;
  std::vector<uint16_t> signatures_;
  std::vector<uint8_t> first_plane_;
  std::vector<uint8_t> second_plane_;
  std::vector<std::unique_ptr<BagEntry[]>> blocks_;
  size_t block_size_ = 0;
  size_t block_used_ = 0;
};

}  // namespace kith::cluster
