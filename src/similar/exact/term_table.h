// Numbers terms 0, 1, 2, ... in the order in which they are first inserted.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace kith::similar {

// A page table over term ids: two loads a look-up and no hashing, at most 8 MiB for the directory
// whatever the largest term id is, and 16 KiB for every 4096 neighbouring ids of which one is
// used. find() is thread-safe as long as nobody inserts.
class TermTable {
 public:
  static constexpr uint32_t none = UINT32_MAX;

  // What a table takes at most, in bytes: so many terms, all below `limit`.
  static constexpr uint64_t max_bytes(uint64_t terms, uint64_t limit) {
    const uint64_t pages = (limit >> page_bits) + 1;
    return std::min(terms, pages) * sizeof(Page) + 4 * pages * sizeof(Page*);
  }

  // What this one takes.
  uint64_t bytes() const {
    return owned_.size() * sizeof(Page) + (pages_.capacity() + owned_.capacity()) * sizeof(Page*);
  }

  // The number of terms inserted; all numbers are below it.
  uint32_t size() const { return size_; }

  // The number of a term, or none.
  uint32_t find(uint32_t term) const {
    const size_t page = term >> page_bits;
    return page < pages_.size() ? (*pages_[page])[term & page_mask] : none;
  }

  // The number of a term, which is made when the term is new.
  uint32_t insert(uint32_t term) {
    const size_t page = term >> page_bits;
    if (page >= pages_.size() || pages_[page] == &empty_page) add_page(page);
    uint32_t& number = (*pages_[page])[term & page_mask];
    if (number == none) number = size_++;
    return number;
  }

 private:
  static constexpr uint32_t page_bits = 12;
  static constexpr uint32_t page_mask = (1u << page_bits) - 1;
  using Page = std::array<uint32_t, size_t{1} << page_bits>;

  static Page empty_page;  // all none, never written

  void add_page(size_t page);

  std::vector<Page*> pages_;
  std::vector<std::unique_ptr<Page>> owned_;
  uint32_t size_ = 0;
};

}  // namespace kith::similar
