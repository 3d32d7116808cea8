// The similar pairs inside of whole parts (bucket_split.h), for lists of pairs on many machines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "similar/neighbour.h"
#include "similar/query_weights.h"
#include "sketch/bag.h"
#include "sketch/signature.h"

namespace kith::similar {

// A bag of a whole part, by the name of the part.
struct PartMember {
  uint64_t part;
  uint32_t bag;  // its place among the bags that are given
};

// What makes two bags of a part a pair.
struct PartPairRule {
  uint32_t min_count = 0;  // of equal low bytes
  uint32_t min_sum = 0;    // of minima, at least 1
};

// Gives the pairs in pieces, since there may be very many: all bags of a part are compared with
// each other, as lsh_join() does for its sink. A pair that shares several parts comes once. What
// is given to the constructor outlives this object. Of one thread.
class PartPairs {
 public:
  // members: in any order, none twice. All terms are below term_limit.
  PartPairs(sketch::BagCollection bags, sketch::SignaturePlane plane,
            std::span<const PartMember> members, PartPairRule rule, uint64_t term_limit);

  // The next pairs of places among the bags: `most`, and those of one more bag in its part at the
  // most; none at the end.
  std::vector<Pair> next(size_t most);

 private:
  // Of a bag, ascending.
  std::span<const PartMember> parts_of(uint32_t bag) const {
    return std::span(by_bag_).subspan(begins_[bag], begins_[bag + 1] - begins_[bag]);
  }
  void add_pairs_of(size_t at, size_t end, std::vector<Pair>& found);
  bool meet_first_in(uint64_t part, uint32_t a, uint32_t b) const;

  const sketch::BagCollection bags_;
  const sketch::SignaturePlane plane_;
  const PartPairRule rule_;
  const uint64_t term_limit_;
  std::vector<PartMember> by_part_;  // then by bag
  std::vector<PartMember> by_bag_;   // then by part
  std::vector<size_t> begins_;       // of the parts of a bag, and the end of the last
  size_t next_ = 0;                  // in by_part_: whose pairs with those behind it are next
  std::vector<uint32_t> candidates_;
  QueryWeights weights_;
};

}  // namespace kith::similar
