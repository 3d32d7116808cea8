// The subsets of LSH tables as bit masks: in which tables do two signatures meet, when it is
// known in which lanes they are equal? Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sketch/lsh/tables.h"

namespace kith::sketch {

// Bit i of word i / 64 stands for lane i. Immutable, thread-safe.
class SubsetMasks {
 public:
  explicit SubsetMasks(const Tables& tables);

  // The words of a mask of all lanes.
  size_t words() const { return words_; }
  uint32_t tables() const { return tables_; }
  // Whether all lanes of the table are in `equal`. REQUIRES: equal.size() == words().
  bool within(uint32_t table, std::span<const uint64_t> equal) const;
  // The first table in [begin, end) all of whose lanes are in `equal`; `end` if there is none.
  // All-pairs emits a pair in the first table in which it meets, and so once.
  uint32_t first_within(std::span<const uint64_t> equal, uint32_t begin, uint32_t end) const;

 private:
  size_t words_;
  uint32_t tables_;
  std::vector<uint64_t> masks_;  // by word, then by table: tables stand side by side
};

}  // namespace kith::sketch
