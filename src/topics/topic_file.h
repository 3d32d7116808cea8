// topics.kith, and the way of a new page to its topic.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "kith/status.h"

#include "similar/duplicates.h"
#include "storage/section_file.h"
#include "topics/tree.h"
#include "topics/vectors.h"

namespace kith::topics {

// The tree of topics as it is kept and looked up. The byte format is docs/formats/topics.md.
inline constexpr storage::FileKind topics_kind{"topi", 1};
inline constexpr uint32_t no_topic = similar::no_id;

// A topic as it lies in the file.
struct TopicRecord {
  uint32_t parent;       // no_topic for the root
  uint32_t first_child;  // children stand one behind the other; 0 for a leaf
  uint32_t children;
  uint32_t begin;     // of its pages, in the section pages
  uint32_t end;       // behind the last of them
  uint32_t exemplar;  // URL id
  float cohesion;     // [0, 1]
  uint32_t reserved;  // 0
};

// Writes a tree with the pages of its nodes (Nodes::node_of). Memory: 12 bytes for each page, and 8
// for each node.
Status write_topics(storage::FileSystem& fs, const std::string& path, const Tree& tree,
                    const Nodes& nodes);

// Immutable, thread-safe; views live as long as this object.
class TopicFile {
 public:
  static Result<TopicFile> open(storage::FileSystem& fs, const std::string& path);
  // In a time that does not grow with the pages: before those of a topic are asked for, call
  // check_pages(topic); before a leaf is, check_leaf(url); before all are, verify().
  static Result<TopicFile> open_for_lookup(storage::FileSystem& fs, const std::string& path);

  uint32_t size() const { return static_cast<uint32_t>(records_.size()); }  // >= 1: the root is 0
  uint64_t urls() const { return leaf_.size(); }
  const TopicRecord& operator[](uint32_t topic) const { return records_[topic]; }
  // The leaf of a URL; no_topic where it is in none.
  uint32_t leaf(uint64_t url) const { return leaf_[url]; }
  // URL ids; in a leaf ascending.
  std::span<const uint32_t> pages(uint32_t topic) const {
    return pages_.subspan(records_[topic].begin, records_[topic].end - records_[topic].begin);
  }
  // Dictionary numbers, best first.
  std::span<const uint32_t> labels(uint32_t topic) const {
    return slice(labels_, labels_at_, topic);
  }
  std::span<const DirectionPart> direction(uint32_t topic) const {
    return slice(directions_, directions_at_, topic);
  }
  // Compares records and labels with the checksums of the file.
  Status check() const;
  // The same of the pages of a topic, or the leaf of a URL, and with what they can be.
  // REQUIRES: topic < size(), url < urls().
  Status check_pages(uint32_t topic) const;
  Status check_leaf(uint64_t url) const;
  // The same for the directions.
  Status check_directions() const;
  Status verify() const;

 private:
  template <class T>
  static std::span<const T> slice(std::span<const T> values, std::span<const uint64_t> offsets,
                                  uint32_t i) {
    return values.subspan(offsets[i], offsets[i + 1] - offsets[i]);
  }
  bool sound_tree() const;
  bool sound_pages() const;
  bool sound_leaf(uint32_t leaf) const;
  bool sound_record(uint32_t topic) const;

  storage::SectionFile file_;
  std::span<const TopicRecord> records_;
  std::span<const uint32_t> pages_;
  std::span<const uint32_t> leaf_;
  std::span<const uint32_t> labels_;
  std::span<const uint64_t> labels_at_;
  std::span<const DirectionPart> directions_;
  std::span<const uint64_t> directions_at_;
};

// Where a new page belongs: down the tree, at every topic to the child that its bag fits best.
struct Route {
  uint32_t topic = 0;  // a leaf
  double fit = 0;      // x.z of the leaf, [-1, 1]; 0 where the root is one
};

// Inverted lists of the directions of a tree: a page costs its words x the depth of the tree.
// Immutable, thread-safe.
class Router {
 public:
  // Memory: some 24 bytes for each part of a direction. REQUIRES: the file's directions are
  // checked.
  explicit Router(const TopicFile& topics);

  // vector: of the dictionary's terms. Ties go to the smaller number; a vector without a term that
  // any direction has goes to the first child, with a fit of 0.
  Route route(Vector vector) const;

 private:
  struct Posting {
    uint32_t child;  // from 0
    float value;
  };
  struct List {
    uint64_t begin;
    uint32_t size;
  };
  static uint64_t key(uint32_t topic, uint32_t term) { return uint64_t{topic} << 32 | term; }
  struct Children {
    uint32_t first;
    uint32_t count;
  };
  void add_children(const TopicFile& topics, uint32_t topic);

  std::vector<Children> children_;                   // by topic
  boost::unordered_flat_map<uint64_t, List> lists_;  // by topic and term: of its children
  std::vector<Posting> postings_;
};

}  // namespace kith::topics
