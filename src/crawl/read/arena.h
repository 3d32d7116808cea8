// Appends bytes to a string that is kept at its largest size, so that a buffer which is used
// again and again is neither cleared nor reallocated each time. Positions stay valid while it
// grows; pointers do not.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

#include "base/check.h"

namespace kith::crawl {

// Bytes of an arena by position.
struct Slice {
  size_t offset = 0;
  size_t size = 0;
};

class Arena {
 public:
  // Writes to `bytes`, which outlives the arena, from its beginning.
  explicit Arena(std::string& bytes) : bytes_(bytes) {}

  size_t used() const { return used_; }

  // n writable bytes behind what is used, valid until the next call.
  std::span<char> room(size_t n) {
    if (bytes_.size() - used_ < n) grow_to(used_ + n);
    return {bytes_.data() + used_, n};
  }
  // Takes the first n bytes of the last room().
  Slice take(size_t n) {
    KITH_CHECK(n <= bytes_.size() - used_);
    used_ += n;
    return {used_ - n, n};
  }
  // The text may be one of the arena's own.
  Slice append(std::string_view text) {
    if (text.empty()) return take(0);
    const size_t own = place_of(text);
    char* const place = room(text.size()).data();
    std::memcpy(place, own < used_ ? bytes_.data() + own : text.data(), text.size());
    return take(text.size());
  }
  // Forgets everything from `position` on.
  void cut_back(size_t position) {
    KITH_CHECK(position <= used_);
    used_ = position;
  }

  std::string_view view(Slice slice) const { return {bytes_.data() + slice.offset, slice.size}; }
  std::span<char> bytes(Slice slice) { return {bytes_.data() + slice.offset, slice.size}; }

 private:
  // Of a text in the arena; another's is not below used().
  size_t place_of(std::string_view text) const {
    return reinterpret_cast<uintptr_t>(text.data()) - reinterpret_cast<uintptr_t>(bytes_.data());
  }
  // By half of its size, of a large one by an eighth: what is grown is filled, and so takes memory
  // whether it is used or not.
  void grow_to(size_t least) {
    constexpr size_t large = 4u << 20;
    const size_t more = bytes_.size() / (bytes_.size() < large ? 2 : 8);
    bytes_.resize(std::max(least, bytes_.size() + more));
  }

  std::string& bytes_;
  size_t used_ = 0;
};

}  // namespace kith::crawl
