// Merging of sorted runs (Knuth, The Art of Computer Programming, vol. 3, 5.4.1): a tree of
// losers needs one comparison a level for every element that leaves it.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "base/check.h"

namespace kith::storage {

// Plays k sources against each other. `less(a, b)` compares the current elements of sources
// a and b by index and must be a strict order in which an exhausted source is the largest;
// ties go to the source of the lower index, so the merge is stable. Not thread-safe.
template <class Less>
class LoserTree {
 public:
  // REQUIRES: sources > 0. All sources show their first element.
  LoserTree(size_t sources, Less less) : less_(std::move(less)), losers_(sources) {
    KITH_CHECK(sources > 0);
    losers_[0] = sources == 1 ? 0 : play(1);
  }

  // The source whose current element is the smallest.
  size_t winner() const { return losers_[0]; }

  // To be called after the winner has moved to its next element.
  void replay() {
    size_t champion = losers_[0];
    for (size_t node = (champion + losers_.size()) / 2; node > 0; node /= 2) {
      if (beats(losers_[node], champion)) std::swap(losers_[node], champion);
    }
    losers_[0] = champion;
  }

 private:
  // Leaves are the nodes [k, 2k): source s stands at node s + k.
  size_t play(size_t node) {
    if (node >= losers_.size()) return node - losers_.size();
    const size_t left = play(2 * node);
    const size_t right = play(2 * node + 1);
    const bool left_wins = beats(left, right);
    losers_[node] = left_wins ? right : left;
    return left_wins ? left : right;
  }

  bool beats(size_t a, size_t b) const {
    if (less_(a, b)) return true;
    return !less_(b, a) && a < b;
  }

  Less less_;
  std::vector<size_t> losers_;  // losers_[0] is the winner
};

}  // namespace kith::storage
