// A classifier: hyperplanes of LIBLINEAR, one for each class, and the scores that they give.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "base/parallel/thread_pool.h"
#include "sketch/bag.h"
#include "topics/classify/examples.h"

namespace kith::topics {

// What tells the members of one class from all other examples: a hyperplane of LIBLINEAR. Internal
// to this folder.

// The score of a vector is its product with `weights`, plus `constant`: above 0 for members.
struct Separator {
  std::vector<float> weights;  // by number of the term
  float constant = -1;
};

// Trains by the L2-regularised support vector machine with squared hinge loss (Fan et al.,
// LIBLINEAR, 2008), C = 1, by its trust region method for the primal problem, which draws nothing
// at random. rows: of the vectors, ascending. Where all rows are members, or none is, every score
// is -1. Thread-safe; the same for the same arguments.
Separator train_separator(const ExampleVectors& vectors, std::span<const uint32_t> rows,
                          uint32_t class_number);

// What it takes meanwhile, in bytes.
uint64_t separator_bytes(uint64_t rows, uint64_t terms);

// The classes that bags fit best, block by block of classes: internal to this folder.

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

// Which class every bag belongs to, learnt from examples (docs/algorithms/classify.md).
//
// A class is told from all others by a hyperplane (classifier.h); a bag belongs to the class of the
// highest score, and the margin is the distance to the second. How far margins can be trusted is
// known from examples that were held back.
inline constexpr uint32_t max_folds = 5;

// Of the examples of a class, in an order that is mixed by their ids, every n-th is in one fold.
// By row; the folds of the next class go on where those of the one before have ended.
std::vector<uint32_t> folds_of(const ExampleVectors& vectors, uint32_t folds);

class Classifier {
 public:
  // vectors: of some of the bags, of classes below `classes`; they, and what the bags are a view
  // of, outlive this object. block_bytes: that separators of several classes may take; it changes
  // no result, and those of one class are held in any case.
  Classifier(const sketch::BagCollection& bags, const ExampleVectors& vectors, uint32_t classes,
             uint64_t block_bytes, ThreadPool& pool);

  // The best class of every example, by row, for a classifier that has learnt from those of other
  // folds only. Where all examples of a class are in one fold, that is another class.
  // Calls show(share) with the share that is done.
  std::vector<Best> cross_validate(const std::function<void(double)>& show = {}) const;

  // The best class of every bag, by id, learnt from all examples; of empty bags as it was made.
  std::vector<Best> classify() const;

  // About how many seconds of one processor both take: the classes times the entries of the
  // examples, for every fold, and of all bags.
  static double seconds(uint64_t classes, uint64_t example_entries, uint64_t entries);
  // What a thread takes while it trains, in bytes.
  static uint64_t bytes_of_thread(uint64_t examples, uint64_t terms);

 private:
  // Calls score(block) for the classes, block by block, learnt from the rows.
  template <class Score>
  void for_each_block(const std::vector<uint32_t>& rows, const Score& score) const;

  const sketch::BagCollection bags_;
  const ExampleVectors& vectors_;
  const uint32_t classes_;
  const uint32_t block_classes_;
  ThreadPool& pool_;
};

}  // namespace kith::topics
