// The nodes of the topic graph: the different bags of a run that have enough words.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "similar/duplicates.h"
#include "sketch/bag.h"

namespace kith::topics {

struct Nodes {
  std::vector<uint32_t> page;     // by node, ascending: the lowest id of the pages with its bag
  std::vector<uint32_t> pages;    // by node: how many pages have its bag, >= 1
  std::vector<uint32_t> node_of;  // by page; similar::no_id where it is in no topic

  size_t size() const { return page.size(); }
};

// Bags of fewer different words that have no copy are in no topic, as they are in no cluster;
// min_words >= 1.
Nodes make_nodes(const sketch::BagCollection& bags, const similar::DuplicateGroups& groups,
                 uint32_t min_words = 1);

}  // namespace kith::topics
