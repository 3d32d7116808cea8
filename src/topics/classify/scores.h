// The classes that bags fit best, block by block of classes: internal to this folder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "base/parallel/thread_pool.h"
#include "sketch/bag.h"
#include "topics/classify/examples.h"
#include "topics/classify/separator.h"

namespace kith::topics {

// The class of the highest score so far, and the two highest scores.
struct Best {
  uint32_t class_number = 0;
  float first = -std::numeric_limits<float>::infinity();
  float second = -std::numeric_limits<float>::infinity();

  // Of equal scores the one that was offered first wins.
  void offer(uint32_t number, float score) {
    if (score > first) {
      second = first;
      first = score;
      class_number = number;
    } else if (score > second) {
      second = score;
    }
  }
  float margin() const { return first - second; }
};

// The separators of neighbouring classes, side by side. Immutable, thread-safe.
class SeparatorBlock {
 public:
  // The classes [begin, end), trained in parallel by the rows.
  SeparatorBlock(const ExampleVectors& vectors, std::span<const uint32_t> rows, uint32_t begin,
                 uint32_t end, ThreadPool& pool);

  // Offers the scores of a bag that is not empty. `scores` is room for them.
  void score(sketch::Bag bag, std::vector<double>& scores, Best& best) const;

  static uint64_t bytes(uint64_t classes, uint64_t terms) {
    return classes * terms * sizeof(float);
  }

 private:
  const ExampleVectors& vectors_;
  const uint32_t begin_;
  const size_t width_;
  std::vector<float> weights_;  // by term, then by class
  std::vector<float> constants_;
};

}  // namespace kith::topics
