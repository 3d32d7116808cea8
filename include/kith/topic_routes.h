// Where bags belong that are not of a run with topics: down its tree, or its upper part, at every
// topic to the child they fit best (docs/algorithms/topics.md, "New pages"). For programs that
// spread bags over machines: one of them makes a tree of some bags, all of them find the topics of
// the others.
//
//   const auto directions = kith::topic_directions("run", 1'000'000);  // travels as arrays
//   const auto routes = kith::TopicRoutes::make(*directions);
//   const auto topics = routes->find({offsets, entries});  // numbers in kith::TopicTree
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kith/cluster_steps.h"
#include "kith/status.h"

#pragma GCC visibility push(default)

namespace kith {

// Some topics of a tree, the root first, as arrays by topic. Children stand side by side, behind
// their parent.
struct TopicDirections {
  std::vector<uint32_t> numbers;      // in kith::TopicTree
  std::vector<uint32_t> first_child;  // 0 where there is none
  std::vector<uint32_t> children;     // 0: bags end here, even if the tree goes on
  // The direction of topic i are the values of terms [offsets[i], offsets[i + 1]), terms ascending.
  std::vector<uint64_t> offsets;
  std::vector<uint32_t> terms;
  std::vector<float> values;
};

// Those of the tree of a run from which children are left out where a topic has at most
// `most_pages` pages; with 0 the whole tree. An error of kind usage when the run has no topics.
Result<TopicDirections> topic_directions(const std::string& directory, uint64_t most_pages);

// Immutable and thread-safe. Memory: some 24 bytes for each part of a direction.
class TopicRoutes {
 public:
  // An error of kind usage when the arrays are none of a tree.
  static Result<TopicRoutes> make(const TopicDirections& directions);
  ~TopicRoutes();
  TopicRoutes(TopicRoutes&&) noexcept;
  TopicRoutes& operator=(TopicRoutes&&) noexcept;

  // For each bag the number in the tree of the topic where it ends, as by kith::route_pages(); one
  // without a term of any direction goes to first children. Errors of kind usage name a bag that is
  // none.
  Result<std::vector<uint32_t>> find(const PackedBags& bags) const;

 private:
  struct State;
  explicit TopicRoutes(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace kith

#pragma GCC visibility pop
