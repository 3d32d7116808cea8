// Labels as paths in a tree: Science/Biology/Genes is a class below Science/Biology.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "kith/evaluate.h"

#include "evaluate/label_sets.h"

namespace kith::evaluate {

// Thread-safe unless it grows.
class LabelTree {
 public:
  static constexpr uint32_t root = 0;

  // The class of a label, made when it is new: the parts between slashes from the root down, empty
  // ones left out; behind max_label_depth - 1 parts the rest is one part. The root: there is none.
  uint32_t add(std::string_view label);

  uint32_t size() const { return static_cast<uint32_t>(nodes_.size()); }  // the root included
  uint32_t depth(uint32_t node) const { return nodes_[node].depth; }      // 0: the root
  uint32_t max_depth() const { return max_depth_; }
  // The class itself when it is not deeper.
  uint32_t ancestor(uint32_t node, uint32_t depth) const;
  // The deepest class that two are in, or are.
  uint32_t common_ancestor(uint32_t a, uint32_t b) const;

  // The classes of items cut at a depth.
  LabelSets cut(const LabelSets& classes, uint32_t depth) const;

 private:
  struct Node {
    uint32_t parent;
    uint32_t depth;
  };
  uint32_t child(uint32_t parent, std::string_view part);

  std::vector<Node> nodes_{{root, 0}};
  boost::unordered_flat_map<std::string, uint32_t>
      children_;  // by the parent's number and the part
  uint32_t max_depth_ = 0;
};

}  // namespace kith::evaluate
