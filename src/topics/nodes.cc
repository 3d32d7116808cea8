#include "topics/nodes.h"

#include <vector>

namespace kith::topics {

Nodes make_nodes(const sketch::BagCollection& bags, const similar::DuplicateGroups& groups,
                 uint32_t min_words) {
  Nodes nodes;
  nodes.page = similar::distinct_bags(bags, groups);
  std::erase_if(nodes.page, [&](uint32_t page) {
    return bags[page].size() < min_words && !groups.has_copies(page);
  });
  nodes.pages.reserve(nodes.page.size());
  nodes.node_of.assign(groups.size(), similar::no_id);
  for (const uint32_t page : nodes.page) {
    nodes.node_of[page] = static_cast<uint32_t>(nodes.pages.size());
    nodes.pages.push_back(groups.multiplicity[page]);
  }
  for (uint32_t page = 0; page < groups.size(); ++page) {
    nodes.node_of[page] = nodes.node_of[groups.representative[page]];
  }
  return nodes;
}

}  // namespace kith::topics
