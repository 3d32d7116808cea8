// The tree of topics of a finished run: one topic of all pages, split again and again by what the
// pages say (docs/algorithms/topics.md).
//
//   auto tree = kith::TopicTree::open("my-run");
//   if (!tree) { ... tree.error().message ... }
//   for (const uint32_t number : tree->cut(20)) {
//     const kith::Topic topic = tree->topic(number);
//     ... topic.path, topic.pages, topic.label ...
//   }
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kith/run.h"
#include "kith/status.h"

#pragma GCC visibility push(default)

namespace kith {

struct Topic {
  std::string path;          // "1.3.2": the second child of the third child of the first; root: ""
  uint32_t parent = 0;       // of the root the root
  uint32_t first_child = 0;  // children are numbered one after the other, the largest first
  uint32_t children = 0;     // 0: a leaf
  uint64_t pages = 0;
  double cohesion = 0;  // mean cosine of the bags of two of its pages, each with itself too: [0, 1]
  UrlId exemplar = 0;   // the page nearest to the mean of its pages
  std::vector<std::string> label;  // words that tell it from its siblings, best first
};

// The hosts of some pages of a run, at most `most`: those of most pages first, ties by name.
Result<std::vector<HostShare>> main_hosts(const Run& run, std::span<const UrlId> pages,
                                          size_t most);

// The language of most of these pages of a run, as a tag; of two the first by name, and empty where
// none is known.
Result<std::string> main_language(const Run& run, std::span<const UrlId> pages);

class TopicTree;

// The label of a topic as people write it, by the titles of its pages: words that titles have come
// first, and stand alone where they are three or more; two that stand side by side in many titles
// are one phrase in the place of the better one, and names have their capitals
// (docs/algorithms/topics.md). Of a large topic some 10,000 titles are read.
// REQUIRES: a tree of the run, number < topics().
Result<std::vector<std::string>> written_label(const Run& run, const TopicTree& tree,
                                               uint32_t number);

// Immutable and thread-safe. Holds the file mapped; it must not change meanwhile. What is read of
// it was compared with its checksum.
class TopicTree {
 public:
  // An error of kind usage when the run has no topics, which says how to make them.
  static Result<TopicTree> open(const std::string& directory);
  ~TopicTree();
  TopicTree(TopicTree&&) noexcept;
  TopicTree& operator=(TopicTree&&) noexcept;

  // Topics are numbered below it by depth; 0 is the root, all pages of the run that have a word.
  uint32_t topics() const;
  // REQUIRES of these: number < topics().
  Topic topic(uint32_t number) const;
  std::string path(uint32_t number) const;
  // The pages of a topic: a list of those of its first leaf, then of the next.
  Result<std::span<const UrlId>> pages(uint32_t number) const;

  // An error of kind not_found when the tree has no such path; the empty path is the root.
  Result<uint32_t> find(std::string_view path) const;
  // The leaf of a page; nothing where the page has no word. REQUIRES: the run has this URL.
  Result<std::optional<uint32_t>> leaf_of(UrlId id) const;
  // The path of that leaf; empty where there is none, and where the root is the only topic.
  Result<std::string> path_of(UrlId id) const;

  // The topics of a depth, and leaves above it, in the order of their paths; below `under`, whose
  // depth counts as 0.
  std::vector<uint32_t> level(uint32_t depth, uint32_t under = 0) const;
  // A cut of the tree with `count` topics or a few more: the topic of the least cohesion is opened,
  // weighted by its pages, until there are so many. In the order of their paths.
  std::vector<uint32_t> cut(size_t count, uint32_t under = 0) const;
  // The depth of the deepest leaf.
  uint32_t depth() const;

 private:
  struct State;
  explicit TopicTree(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace kith

#pragma GCC visibility pop
