// Entries that are known by a number and stay where they are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace kith::jobs {

// Numbers of entries that went are given again. Not thread-safe while it changes.
template <class Entry>
class Places {
 public:
  Entry& operator[](uint32_t place) { return chunks_[place / per_chunk][place % per_chunk]; }
  const Entry& operator[](uint32_t place) const {
    return chunks_[place / per_chunk][place % per_chunk];
  }
  // Entries that are there.
  uint64_t size() const { return end_ - free_.size(); }

  // REQUIRES: size() < 2^32 - 1.
  uint32_t add(Entry entry) {
    uint32_t place = end_;
    if (free_.empty()) {
      if (end_ % per_chunk == 0) chunks_.push_back(std::make_unique<Entry[]>(per_chunk));
      ++end_;
    } else {
      place = free_.back();
      free_.pop_back();
    }
    (*this)[place] = std::move(entry);
    return place;
  }
  // What stands there is an entry by default.
  void remove(uint32_t place) {
    (*this)[place] = Entry();
    free_.push_back(place);
  }

  // The numbers of all entries are below.
  uint32_t end() const { return end_; }
  uint64_t bytes() const {
    return chunks_.size() * per_chunk * sizeof(Entry) + free_.capacity() * sizeof(uint32_t);
  }

 private:
  static constexpr uint32_t per_chunk = 1024;

  std::vector<std::unique_ptr<Entry[]>> chunks_;
  std::vector<uint32_t> free_;
  uint32_t end_ = 0;
};

}  // namespace kith::jobs
