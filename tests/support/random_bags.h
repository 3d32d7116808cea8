// Random collections of bags for tests and benchmarks: clustered by topic, with Zipfian words,
// near-identical families, exact duplicates and empty bags, as a crawl has them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "sketch/bag.h"

namespace kith::test {

// Owns the arrays that a BagCollection looks at.
class OwnedBags {
 public:
  OwnedBags() = default;

  // Appends a bag of (term, relative weight > 0) pairs in any order; equal terms are added up,
  // then the weights are scaled so that they add up to bag_total exactly. No words: an empty bag.
  void add(std::span<const std::pair<uint32_t, double>> words);
  // Appends a bag as it is.
  void add_copy(sketch::Bag bag);

  size_t size() const { return offsets_.size() - 1; }
  sketch::Bag operator[](size_t id) const { return view()[id]; }
  // Valid until the next add.
  sketch::BagCollection view() const { return {offsets_, entries_}; }

 private:
  std::vector<uint64_t> offsets_{0};
  std::vector<sketch::BagEntry> entries_;
};

struct RandomBagsOptions {
  size_t bags = 1000;
  uint32_t words = 40;            // mean number of distinct words of a bag
  uint32_t vocabulary = 20000;    // Zipfian, shared by all topics; term 0 is the most frequent
  uint32_t topics = 50;           // 0: no topics, only the Zipfian words
  uint32_t topic_words = 200;     // words that a topic prefers
  double topic_share = 0.6;       // share of a bag's words drawn from its topic
  double family_share = 0.1;      // share of bags that are a light edit of an earlier one
  double family_edit = 0.1;       // share of the words replaced in such an edit
  double duplicate_share = 0.05;  // share of bags that are a copy of an earlier one
  double empty_share = 0.01;
  uint64_t seed = 1;
};

// Weights are sqrt(f) * idf-like, so frequent words weigh less. topic_of[id] receives the topic
// of each bag when it is not null.
OwnedBags random_bags(const RandomBagsOptions& options, std::vector<uint32_t>* topic_of = nullptr);

}  // namespace kith::test
