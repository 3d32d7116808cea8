// The parts of a bag, and where their words are counted.
#pragma once

#include <cstdint>

namespace kith::bags {

// What the page says, and what others say of it. A bag of one kind has one part.
enum class BagPart : uint8_t { content = 0, anchor = 1 };
inline constexpr unsigned max_parts = 2;

// Words are counted by slot. In bags of one part that is the term; in bags of both kinds every term
// has two neighbouring slots, one for each part.
class Slots {
 public:
  // parts: 1 or 2.
  explicit Slots(unsigned parts = 1) : shift_(parts - 1) {}

  unsigned parts() const { return shift_ + 1; }
  // REQUIRES: with two parts, term < 2^31.
  uint32_t slot(uint32_t term, BagPart part) const {
    return term << shift_ | (static_cast<uint32_t>(part) & shift_);
  }
  uint32_t term(uint32_t slot) const { return slot >> shift_; }
  unsigned part(uint32_t slot) const { return slot & shift_; }
  // The terms of which all slots are numbers.
  uint32_t max_terms() const { return UINT32_MAX >> shift_; }

 private:
  uint32_t shift_;
};

}  // namespace kith::bags
