// A classifier: its examples, hyperplanes of LIBLINEAR, the scores that they give, and how sure a
// margin makes (docs/algorithms/classify.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "base/parallel/thread_pool.h"
#include "sketch/bag.h"
struct feature_node;  // of LIBLINEAR

namespace kith::topics {

// By examples whose class was held back.

// An example that was classified without having been learnt from.
struct Trial {
  float margin;  // >= 0
  bool is_right;
};

// Pure; immutable, thread-safe.
class Calibration {
 public:
  // accuracy: in (0, 1].
  Calibration(std::span<const Trial> trials, double accuracy);

  // The least margin that is sure: the lowest of those for which the share that is right of the
  // trials with it or more reaches the accuracy. Infinite where none does.
  float sure_margin() const { return sure_margin_; }
  bool is_sure(float margin) const { return margin >= sure_margin_; }
  // Trials that are sure, and of these, right.
  size_t sure() const { return sure_; }
  size_t sure_and_right() const { return sure_and_right_; }
  size_t right() const { return right_; }

  // The probability that a class with this margin is right, in [0, 1]: the isotonic regression of
  // the trials (pool adjacent violators; Zadrozny and Elkan 2002).
  double confidence(float margin) const;

 private:
  struct Step {
    float margin;  // from here on
    double confidence;
  };

  void find_sure_margin(std::span<const Trial> falling, double accuracy);
  void fit_steps(std::span<const Trial> falling);

  float sure_margin_ = std::numeric_limits<float>::infinity();
  size_t sure_ = 0;
  size_t sure_and_right_ = 0;
  size_t right_ = 0;
  std::vector<Step> steps_;  // by margin, ascending
};

// A bag whose class is known.
struct Example {
  uint32_t id;
  uint32_t class_number;  // from 0
  friend bool operator==(const Example&, const Example&) = default;
};

// The examples without those that say nothing: empty bags, and of equal bags of a class all but
// that of the lowest id. Ascending by id.
std::vector<Example> distinct_examples(const sketch::BagCollection& bags,
                                       std::vector<Example> examples);

// Bags scaled to Euclidean length 1, whose terms are numbered from 0 in ascending order. Immutable,
// thread-safe.
class ExampleVectors {
 public:
  // examples: of bags that are not empty; they outlive this object.
  ExampleVectors(const sketch::BagCollection& bags, std::span<const Example> examples);
  ~ExampleVectors();
  ExampleVectors(ExampleVectors&&) noexcept;
  ExampleVectors& operator=(ExampleVectors&&) = delete;

  static constexpr uint32_t none = UINT32_MAX;
  // What so many examples with so many entries in all take, in bytes, at most.
  static uint64_t bytes(uint64_t examples, uint64_t entries, uint64_t terms);

  size_t size() const { return examples_.size(); }
  uint32_t class_of(size_t row) const { return examples_[row].class_number; }
  uint32_t id(size_t row) const { return examples_[row].id; }
  size_t terms() const { return terms_; }
  // The number of a term of the bags, or none.
  uint32_t number_of(uint32_t term) const { return term < numbers_.size() ? numbers_[term] : none; }
  // The nodes of an example: terms counted from 1, then a constant, then the end.
  feature_node* row(size_t i) const;

 private:
  std::span<const Example> examples_;
  std::vector<uint32_t> numbers_;  // by term id
  size_t terms_ = 0;
  std::vector<size_t> begin_;  // by example, in nodes_
  std::unique_ptr<feature_node[]> nodes_;
};

// The factor that makes the vector of a bag one of length 1. REQUIRES: the bag is not empty.
double unit_scale(sketch::Bag bag);

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

// The classes that bags fit best, block by block of classes.

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
// A class is told from all others by a hyperplane; a bag belongs to the class of the
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
