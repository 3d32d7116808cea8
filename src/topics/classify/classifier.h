// Which class every bag belongs to, learnt from examples (docs/algorithms/classify.md).
//
// A class is told from all others by a hyperplane (separator.h); a bag belongs to the class of the
// highest score, and the margin is the distance to the second. How far margins can be trusted is
// known from examples that were held back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "base/parallel/thread_pool.h"
#include "sketch/bag.h"
#include "topics/classify/examples.h"
#include "topics/classify/scores.h"

namespace kith::topics {

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
