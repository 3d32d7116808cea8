// The bags that a classifier learns from, as LIBLINEAR reads them: internal to this folder but for
// Example.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "sketch/bag.h"

struct feature_node;  // of LIBLINEAR

namespace kith::topics {

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

}  // namespace kith::topics
