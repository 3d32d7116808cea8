#include "evaluate/label_tree.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace kith::evaluate {

uint32_t LabelTree::child(uint32_t parent, std::string_view part) {
  const auto [entry, is_new] = children_.try_emplace(fmt::format("{}/{}", parent, part), size());
  if (is_new) {
    nodes_.push_back({parent, nodes_[parent].depth + 1});
    max_depth_ = std::max(max_depth_, nodes_.back().depth);
  }
  return entry->second;
}

uint32_t LabelTree::add(std::string_view label) {
  uint32_t node = root;
  while (true) {
    label.remove_prefix(std::min(label.find_first_not_of('/'), label.size()));
    if (label.empty()) return node;
    const bool is_last = depth(node) + 1 == max_label_depth;
    const size_t end =
        is_last ? label.find_last_not_of('/') + 1 : std::min(label.find('/'), label.size());
    node = child(node, label.substr(0, end));
    label.remove_prefix(is_last ? label.size() : end);
  }
}

uint32_t LabelTree::ancestor(uint32_t node, uint32_t depth) const {
  while (nodes_[node].depth > depth) node = nodes_[node].parent;
  return node;
}

uint32_t LabelTree::common_ancestor(uint32_t a, uint32_t b) const {
  const uint32_t depth = std::min(nodes_[a].depth, nodes_[b].depth);
  a = ancestor(a, depth);
  b = ancestor(b, depth);
  while (a != b) {
    a = nodes_[a].parent;
    b = nodes_[b].parent;
  }
  return a;
}

LabelSets LabelTree::cut(const LabelSets& classes, uint32_t depth) const {
  LabelSets sets;
  std::vector<uint32_t> cut;
  for (size_t item = 0; item < classes.size(); ++item) {
    // The first label stays the first.
    cut.assign({ancestor(classes.first(item), depth)});
    for (const uint32_t node : classes[item]) cut.push_back(ancestor(node, depth));
    sets.add(cut);
  }
  return sets;
}

}  // namespace kith::evaluate
