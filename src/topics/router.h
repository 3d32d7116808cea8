// Where a new page belongs: down the tree, at every topic to the child that its bag fits best.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "topics/topic_file.h"
#include "topics/vectors.h"

namespace kith::topics {

struct Route {
  uint32_t topic = 0;  // a leaf
  double fit = 0;      // x.z of the leaf, [-1, 1]; 0 where the root is one
};

// What a topic is for a Router.
struct RouteTopic {
  uint32_t first_child;
  uint32_t children;  // which stand one behind the other, behind their parent; 0: a leaf
  std::span<const DirectionPart> direction;
};

// Inverted lists of the directions of a tree: a page costs its words x the depth of the tree.
// Immutable, thread-safe.
class Router {
 public:
  // Memory: some 24 bytes for each part of a direction. REQUIRES: the root is the first topic.
  explicit Router(std::span<const RouteTopic> topics);
  // REQUIRES: the file's directions are checked.
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
  void add_children(std::span<const RouteTopic> topics, uint32_t topic);

  std::vector<Children> children_;                   // by topic
  boost::unordered_flat_map<uint64_t, List> lists_;  // by topic and term: of its children
  std::vector<Posting> postings_;
};

}  // namespace kith::topics
