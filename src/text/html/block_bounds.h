// Where the blocks of a page begin and end, while its text is written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "text/html/html.h"

namespace kith::text {

class BlockBounds {
 public:
  // Starts over on `bounds`, whose capacity is kept. Until finish() its size means nothing.
  explicit BlockBounds(std::vector<uint32_t>& bounds) : bounds_(&bounds) {
    if (bounds.size() < first_size) bounds.resize(first_size);
    bounds.front() = 0;
  }

  // Notes that text which ends at `size` bytes is followed by another block, if that is `wanted`
  // and was not noted yet. Without branches, as in TextWriter::put_blank_if.
  void put_if(bool wanted, size_t size) {
    if (count_ + 1 == bounds_->size()) bounds_->resize(2 * bounds_->size());
    uint32_t* const bounds = bounds_->data();
    const auto bound = static_cast<uint32_t>(size);
    const bool is_new = bounds[count_] != bound;
    bounds[count_ + 1] = bound;
    count_ += static_cast<size_t>(wanted) & static_cast<size_t>(is_new) &
              static_cast<size_t>(count_ < max_blocks);
  }

  // Cuts the list to what was noted.
  void finish() {
    bounds_->erase(bounds_->begin());
    bounds_->resize(count_);
  }

 private:
  static constexpr size_t first_size = 256;

  std::vector<uint32_t>* bounds_;  // behind a 0, which needs no bound
  size_t count_ = 0;
};

}  // namespace kith::text
