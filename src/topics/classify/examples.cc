#include "topics/classify/examples.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include <linear.h>

#include "base/hash.h"

namespace kith::topics {

std::vector<Example> distinct_examples(const sketch::BagCollection& bags,
                                       std::vector<Example> examples) {
  struct Known {
    uint32_t class_number;
    uint64_t hash;
    uint32_t id;
  };
  std::vector<Known> known;
  for (const Example& example : examples) {
    const sketch::Bag bag = bags[example.id];
    if (!bag.empty()) {
      known.push_back({example.class_number, hash64(std::as_bytes(bag)), example.id});
    }
  }
  std::ranges::sort(
      known, {}, [](const Known& one) { return std::tuple(one.class_number, one.hash, one.id); });
  examples.clear();
  for (size_t i = 0; i < known.size(); ++i) {
    const bool is_new = i == 0 || known[i].class_number != known[i - 1].class_number ||
                        !std::ranges::equal(bags[known[i].id], bags[known[i - 1].id]);
    if (is_new) examples.push_back({known[i].id, known[i].class_number});
  }
  std::ranges::sort(examples, {}, &Example::id);
  return examples;
}

double unit_scale(sketch::Bag bag) {
  double squares = 0;
  for (const sketch::BagEntry& entry : bag) {
    squares += static_cast<double>(entry.weight) * static_cast<double>(entry.weight);
  }
  return 1 / std::sqrt(squares);
}

ExampleVectors::ExampleVectors(const sketch::BagCollection& bags, std::span<const Example> examples)
    : examples_(examples) {
  size_t entries = 0;
  uint32_t limit = 0;
  for (const Example& example : examples) {
    entries += bags[example.id].size();
    limit = std::max(limit, bags[example.id].back().term + 1);
  }
  numbers_.assign(limit, none);
  for (const Example& example : examples) {
    for (const sketch::BagEntry& entry : bags[example.id]) numbers_[entry.term] = 0;
  }
  for (uint32_t& number : numbers_) {
    if (number != none) number = static_cast<uint32_t>(terms_++);
  }
  nodes_ = std::make_unique<feature_node[]>(entries + 2 * examples.size());
  size_t at = 0;
  const int constant = static_cast<int>(terms_) + 1;
  for (const Example& example : examples) {
    const sketch::Bag bag = bags[example.id];
    const double scale = unit_scale(bag);
    begin_.push_back(at);
    for (const sketch::BagEntry& entry : bag) {
      nodes_[at++] = {static_cast<int>(numbers_[entry.term]) + 1, scale * entry.weight};
    }
    nodes_[at++] = {constant, 1};
    nodes_[at++] = {-1, 0};
  }
}

ExampleVectors::~ExampleVectors() = default;
ExampleVectors::ExampleVectors(ExampleVectors&&) noexcept = default;

uint64_t ExampleVectors::bytes(uint64_t examples, uint64_t entries, uint64_t terms) {
  return (entries + 2 * examples) * sizeof(feature_node) + examples * sizeof(size_t) +
         terms * sizeof(uint32_t);
}

feature_node* ExampleVectors::row(size_t i) const {
  return &nodes_[begin_[i]];
}

}  // namespace kith::topics
