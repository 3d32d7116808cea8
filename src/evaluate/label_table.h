// The labels of items: sets, trees and tables of them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "kith/evaluate.h"
#include "kith/status.h"

namespace kith::evaluate {

// The labels of items, by number. Items have one or more; the first has a meaning of its own.

// Two ascending lists without repetition: how many values both have.
inline size_t count_common(std::span<const uint32_t> a, std::span<const uint32_t> b) {
  size_t common = 0;
  for (size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    if (a[i] == b[j]) ++common;
    const bool pass_a = a[i] <= b[j];
    if (a[i] >= b[j]) ++j;
    if (pass_a) ++i;
  }
  return common;
}

class LabelSets {
 public:
  size_t size() const { return first_.size(); }
  // Ascending, each once.
  std::span<const uint32_t> operator[](size_t item) const {
    return std::span(labels_).subspan(begin_[item], begin_[item + 1] - begin_[item]);
  }
  uint32_t first(size_t item) const { return first_[item]; }
  std::span<const uint32_t> first() const { return first_; }

  // Appends an item. Labels may be repeated. REQUIRES: there is one.
  void add(std::span<const uint32_t> labels) {
    first_.push_back(labels.front());
    const auto begin = static_cast<std::ptrdiff_t>(labels_.size());
    labels_.insert(labels_.end(), labels.begin(), labels.end());
    std::sort(labels_.begin() + begin, labels_.end());
    labels_.erase(std::unique(labels_.begin() + begin, labels_.end()), labels_.end());
    begin_.push_back(labels_.size());
  }

  // Appends an item of another list, its first label first.
  void add(const LabelSets& other, size_t item) {
    add(other[item]);
    first_.back() = other.first(item);
  }

  bool share(size_t a, size_t b) const { return count_common((*this)[a], (*this)[b]) > 0; }

 private:
  std::vector<size_t> begin_{0};
  std::vector<uint32_t> labels_;
  std::vector<uint32_t> first_;
};

// Labels as paths in a tree: Science/Biology/Genes is a class below Science/Biology.

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

// Files of labels: TSV with a header line, a row for every label of a page.
struct LabelTable {
  std::vector<std::string> names;  // different ones, by their first row
  LabelSets classes;               // by name: nodes of `tree`, of its first row first
  LabelTree tree;
  uint64_t rows = 0;          // behind the header
  uint64_t skipped_rows = 0;  // of these, without a name or a label
};

// Reads the bytes of a file, which messages call `file`. `columns` as in EvaluateOptions. Errors of
// kind usage: no header, or one that lacks a column. Fields are taken as they stand.
Result<LabelTable> parse_labels(std::string_view bytes, std::string_view file,
                                std::span<const std::string> columns);

// An item of a run and the number of a name in a table that stands for it.
struct NamedItem {
  uint32_t item;
  uint32_t name;
  friend auto operator<=>(const NamedItem&, const NamedItem&) = default;
};

struct LabelledItems {
  std::vector<uint32_t> items;  // ascending, each once
  LabelSets classes;            // of all names that stand for an item, in their order
};

LabelledItems join_names(const LabelTable& table, std::vector<NamedItem> named);

// What a report says of the labels. `pages`: of the run; `missing`: names that stand for none.
LabelCounts count_labels(const LabelTable& table, const LabelledItems& labelled, uint64_t pages,
                         uint64_t missing);

// What to say when no page of the run at `run` has a label.
Error nothing_labelled(std::string_view file, std::string_view run, uint64_t names);

}  // namespace kith::evaluate
