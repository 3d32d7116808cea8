// Which groups there are, and who belongs to each.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace kith::jobs {

// The groups of two documents or more: the largest first, of equal ones that whose kept document
// comes first. Immutable, thread-safe. Holds 8 bytes a group, and at most 8 a document.
class GroupIndex {
 public:
  GroupIndex() = default;
  // kept: by document, the one of its group that stays.
  explicit GroupIndex(std::span<const uint32_t> kept);

  uint64_t size() const { return begins_.size() - 1; }
  // The documents of a group: the one that is kept, then the others in input order. REQUIRES:
  // number < size().
  std::span<const uint32_t> operator[](uint64_t number) const {
    return std::span(ids_).subspan(begins_[number], begins_[number + 1] - begins_[number]);
  }
  // The number of the group whose kept document this is; size() if there is none.
  uint64_t find(uint32_t kept) const {
    return numbers_[kept] == none ? size() : uint64_t{numbers_[kept]};
  }

 private:
  static constexpr uint32_t none = UINT32_MAX;

  std::vector<uint32_t> ids_;        // group by group
  std::vector<uint64_t> begins_{0};  // of each group, and the end
  std::vector<uint32_t> numbers_;    // of groups, by their kept document
};

}  // namespace kith::jobs
