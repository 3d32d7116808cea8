// Classes within which clusters are made (docs/algorithms/classify.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/hash.h"

namespace kith::similar {

// The class of every id, 0 for none, which is a class as well: bags of different classes are not
// similar, whatever they hold. Without an array all ids are of one class. A view; thread-safe.
class Classes {
 public:
  Classes() = default;
  // by_id: outlives this object.
  explicit Classes(std::span<const uint32_t> by_id) : by_id_(by_id) {}

  bool has_one() const { return by_id_.empty(); }
  uint32_t of(uint32_t id) const { return has_one() ? 0 : by_id_[id]; }
  bool share(uint32_t a, uint32_t b) const { return has_one() || by_id_[a] == by_id_[b]; }

  // The key of an id with the class as one more coordinate: 64 bits, well-mixed where the class is
  // not 0, equal for ids of two classes with a chance of 2^-64.
  uint64_t key(uint64_t key_without, uint32_t id) const {
    const uint64_t own = of(id);
    return own == 0 ? key_without : mix64(key_without + own * golden);
  }

 private:
  std::span<const uint32_t> by_id_;
};

}  // namespace kith::similar
