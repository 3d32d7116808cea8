#include "evaluate/dendrogram.h"

#include <cstddef>
#include <map>
#include <vector>

#include "base/check.h"

namespace kith::evaluate {
namespace {

// Of the items below a node.
struct Below {
  std::map<uint32_t, uint64_t> labels;             // items by label
  std::map<uint32_t, uint64_t> pairs_of_children;  // by label: pairs below one child
  uint64_t items = 0;
};

double pairs(uint64_t items) {
  return static_cast<double>(items) * static_cast<double>(items - 1) / 2;
}

}  // namespace

std::optional<double> dendrogram_purity(std::span<const uint32_t> parent,
                                        std::span<const uint32_t> node,
                                        std::span<const uint32_t> label) {
  KITH_CHECK(node.size() == label.size());
  std::vector<Below> below(parent.size());
  for (size_t i = 0; i < node.size(); ++i) {
    ++below[node[i]].labels[label[i]];
    ++below[node[i]].items;
  }
  double pure = 0;
  double all = 0;
  for (size_t n = parent.size(); n-- > 0;) {
    Below& own = below[n];
    for (const auto& [name, items] : own.labels) {
      const double meeting = pairs(items) - static_cast<double>(own.pairs_of_children[name]);
      pure += meeting * static_cast<double>(items) / static_cast<double>(own.items);
      all += meeting;
      if (n == 0) continue;
      Below& above = below[parent[n]];
      above.labels[name] += items;
      above.pairs_of_children[name] += static_cast<uint64_t>(pairs(items));
    }
    if (n > 0) below[parent[n]].items += own.items;
    own = Below();
  }
  if (all == 0) return std::nullopt;
  return pure / all;
}

}  // namespace kith::evaluate
