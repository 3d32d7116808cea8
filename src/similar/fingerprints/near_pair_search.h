// The part of simhash_join() that happens in memory, on one thread: all near pairs of a set of
// fingerprints by grouping them on blocks of bits, group in group, until groups are small.
// Internal to this folder.
//
// The bits in which the fingerprints of a set differ are cut into b > k blocks. A pair within k
// agrees in at least r = b - k of them, and belongs to the group of the first r blocks in which
// it agrees: agreeing in those, and differing in every block between. A group that is still
// large is cut anew. So every pair belongs to one group at each depth, and it does not matter at
// which depth a group is compared, nor whether what is compared is a group or more than that.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "sketch/simhash.h"

namespace kith::similar {

// Fingerprints, and as much room beside them.
struct FingerprintSet {
  uint64_t* values;
  uint64_t* room;
  size_t size;
  std::span<const uint64_t> view() const { return {values, size}; }
  FingerprintSet part(size_t begin, size_t end) const {
    return {values + begin, room + begin, end - begin};
  }
};

// Bits [shift, shift + width) of a fingerprint as a number.
struct BitDigit {
  uint32_t shift;
  uint32_t width;  // below 32
  uint64_t mask() const { return ((uint64_t{1} << width) - 1) << shift; }
  size_t operator()(uint64_t value) const {
    return (value >> shift) & ((uint64_t{1} << width) - 1);
  }
};
// Of the bits of `block` (not 0) the highest, at most `width` places of them.
BitDigit top_digit(uint64_t block, uint32_t width);

// The bits in which some values differ from the first.
uint64_t differing_bits(std::span<const uint64_t> values);

// What is known of the pairs of a group, and what is left to choose.
struct GroupState {
  uint64_t agree = 0;                 // bits in which its pairs agree
  std::vector<uint64_t> differ = {};  // blocks in each of which its pairs differ
  std::vector<uint64_t> blocks = {};  // of the last cut; empty: none yet
  uint32_t next = 0;                  // the first of them that may be chosen
  uint32_t left = 0;                  // how many are to be chosen

  // Whether a pair of which `bits` differ belongs to the group.
  bool holds(uint64_t bits) const {
    if ((bits & agree) != 0) return false;
    for (const uint64_t block : differ) {
      if ((bits & block) == 0) return false;
    }
    return true;
  }
  // Cuts the bits of `varying` anew; false if they are fewer than the blocks.
  bool cut(uint64_t varying, uint32_t blocks, uint32_t distance);
  // Whether the blocks of the first cut have been chosen, and none of another.
  bool is_complete() const { return !blocks.empty() && left == 0; }
  // Whether block `next` may be chosen; then it is agreed on, or skipped.
  bool can_choose() const { return left > 0 && next + left <= blocks.size(); }
  void choose();
  void skip();
};

// Not thread-safe: one per worker.
class NearPairSearch {
 public:
  // Is given pairs of different values; false ends the search as soon as may be.
  using Take = std::function<bool(uint64_t a, uint64_t b)>;
  NearPairSearch(uint32_t distance, uint32_t blocks, Take take);

  // What is to be done with groups that are too large for their pairs to be looked for.
  struct LargeGroups {
    // The weight of a group above which it is large, and what one value weighs at most.
    uint64_t largest = 0;
    uint64_t max_of_one = 1;
    std::function<uint64_t(std::span<const uint64_t> values)> weight;
    // Receives a large group, whose values agree in all blocks that were chosen; false ends the
    // search as soon as may be.
    std::function<bool(const GroupState& state, std::span<const uint64_t> values)> take;
  };
  // From now on a pair is looked for only if the values that agree in all the blocks of its group,
  // those of the first cut, are not a large group.
  void give_groups(LargeGroups large) { large_ = std::move(large); }

  // Gives all pairs of the set within the distance that belong to the group of `state`. Values are
  // distinct. They keep their places; the room is used.
  void run(const FingerprintSet& set, const GroupState& state);
  // The same when pairs of the set need not agree in the bits of `block` yet: it is grouped first.
  void run_group(const FingerprintSet& set, uint64_t block, const GroupState& state);

  uint64_t compared() const { return compared_; }
  uint64_t moved() const { return moved_; }

 private:
  // These say whether they wrote to the room.
  bool search(const FingerprintSet& set, const GroupState& state);
  bool group(const FingerprintSet& set, uint64_t block, const GroupState& state);
  void compare(const FingerprintSet& set, const GroupState& state);
  bool is_small(const FingerprintSet& set, const GroupState& state) const;
  bool is_large(const FingerprintSet& set) const {
    if (!large_.take || set.size * large_.max_of_one <= large_.largest) return false;
    return set.size > large_.largest || large_.weight(set.view()) > large_.largest;
  }

  const uint32_t distance_;
  const uint32_t blocks_;
  const Take take_;
  LargeGroups large_;
  const sketch::HammingKernels& kernels_;
  bool stopped_ = false;
  uint64_t compared_ = 0;
  uint64_t moved_ = 0;
};

}  // namespace kith::similar
