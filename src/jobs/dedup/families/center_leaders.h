// The centers that lie in whole parts: what is compared of them, and which part has which. Internal
// to the scan for centers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "jobs/dedup/families/meeting_rule.h"
#include "similar/sets/hash_sets.h"

namespace kith::jobs {

// Leaders are numbered in the order in which they were added. Not thread-safe while one is added.
class CenterLeaders {
 public:
  // max_of_part: leaders that a part holds. memory: bytes that rows and elements may take; what
  // does not fit is read from the files when it is compared.
  CenterLeaders(const MeetingRule& meeting, const similar::HashSets& sets, size_t parts,
                uint64_t max_of_part, uint64_t memory);

  // A new leader, of the representative `id`, in the parts.
  void add(uint32_t rank, uint32_t id, std::span<const uint8_t> row,
           std::span<const uint32_t> parts);

  uint32_t size() const { return static_cast<uint32_t>(ranks_.size()); }
  uint32_t rank(uint32_t leader) const { return ranks_[leader]; }
  uint32_t id(uint32_t leader) const { return ids_[leader]; }
  // Of a part, ascending.
  std::span<const uint32_t> of_part(uint32_t part) const { return by_part_[part].leaders; }
  // Leaders that a part was too full for.
  uint64_t left_out(uint32_t part) const { return by_part_[part].left_out; }

  // Whether a row is a candidate with a leader. `buffer` has room for a row.
  bool is_candidate(std::span<const uint8_t> row, uint32_t leader, std::span<uint8_t> buffer) const;
  // A set to be compared with leaders: a view until the buffer is used again; nothing of one that
  // is too large to be held.
  sketch::HashSet read(uint32_t id, similar::SetBuffer& buffer) const;
  // What a set, as given by read(), and that of a leader have in common.
  sketch::SetOverlap overlap_with(uint32_t id, sketch::HashSet set, uint32_t leader) const;

 private:
  struct Part {
    std::vector<uint32_t> leaders;
    uint64_t left_out = 0;
  };
  void keep_elements(uint32_t id);

  const MeetingRule& meeting_;
  const similar::HashSets& sets_;
  const uint64_t max_of_part_;
  const size_t max_rows_;
  const size_t max_elements_;
  std::vector<Part> by_part_;
  std::vector<uint32_t> ranks_;
  std::vector<uint32_t> ids_;
  std::vector<uint8_t> rows_;           // of the first leaders
  std::vector<uint64_t> elements_;      // of the first leaders, one after the other
  std::vector<size_t> elements_at_{0};  // where each begins, and the end
};

}  // namespace kith::jobs
