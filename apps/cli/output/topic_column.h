// The topic of every row of a list.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kith/kith.h"

namespace kith::cli {

// The topics of a run; of one without any, none.
class TopicColumn {
 public:
  static Result<TopicColumn> open(const Run& run, const std::string& directory) {
    TopicColumn column;
    if (run.report().topics.topics == 0) return column;
    KITH_ASSIGN(column.tree_, TopicTree::open(directory));
    return column;
  }
  // The path of the leaf of a page; empty where it has none.
  Result<std::string> of(UrlId id) const { return tree_ ? tree_->path_of(id) : std::string(); }
  // The path, and the words of the topics on it: "1.3 (windows, file > drive, disk)".
  Result<std::string> described(UrlId id) const {
    if (!tree_) return std::string();
    KITH_ASSIGN(const auto leaf, tree_->leaf_of(id));
    if (!leaf || *leaf == 0) return std::string();
    std::vector<std::string> steps;
    for (uint32_t at = *leaf; at != 0; at = tree_->topic(at).parent) {
      std::vector<std::string> words = tree_->topic(at).label;
      words.resize(std::min<size_t>(words.size(), 2));
      steps.insert(steps.begin(), fmt::format("{}", fmt::join(words, ", ")));
    }
    return fmt::format("{} ({})", tree_->path(*leaf), fmt::join(steps, " > "));
  }

 private:
  std::optional<TopicTree> tree_;
};

}  // namespace kith::cli
