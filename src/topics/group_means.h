// The means of groups of nodes, term by term.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "base/memory.h"
#include "base/parallel/thread_pool.h"
#include "topics/communities.h"
#include "topics/vectors.h"

namespace kith::topics {

// Groups of nodes of a topic.
struct NodeGroups {
  std::span<const uint32_t> group;  // by node: its group, or similar::no_id where it is in none
  std::span<const uint64_t> pages;  // by group, > 0
};

// A coordinate of the vectors of a group: first their sum, which is exact, then their mean.
class GroupValue {
 public:
  uint64_t& sum() { return bits_; }
  void set_mean(double mean) { bits_ = std::bit_cast<uint64_t>(mean); }
  double mean() const { return std::bit_cast<double>(bits_); }

 private:
  uint64_t bits_ = 0;
};

struct GroupPart {
  uint32_t group;
  GroupValue value;
};

// What an entry of a bag takes, at most, in all of GroupMeans.
inline constexpr uint64_t bytes_of_joined_word = 32;

// The means of all groups at one term: either `all`, by group, or `some`, of those that have the
// term, by ascending group.
struct TermMeans {
  std::span<const GroupValue> all;
  std::span<const GroupPart> some;
};

// Inverted lists of means, for as many terms at a time as fit. A frequent term has a value for
// every group; another one a part for each group that has it. Vectors that are copied are added up
// group by group, in a small table; others in the order they are read, each with a part of its own
// until those of a group are added up.
class GroupMeans {
 public:
  // Counts how many nodes have a term. What is given outlives this object.
  GroupMeans(const TopicVectors& vectors, const NodeGroups& groups, ThreadPool& pool);

  // Makes the lists of the terms from `begin` on that fit into `memory` bytes, or of copies into
  // less, one at least, in the place of those made before; returns the first term that is left. In
  // a pass over the vectors.
  // The same for any number of threads. REQUIRES: begin < vectors.terms().
  uint32_t make(uint32_t begin, uint64_t memory);

  // REQUIRES: the term is one of those made last.
  TermMeans operator[](uint32_t term) const;

 private:
  // Where the list of a term is: in all_ or some_.
  struct Place {
    uint64_t begin = 0;
    uint32_t size = 0;  // parts in some_
  };

  bool has_all(uint32_t term) const;
  uint64_t bytes_of(uint32_t term) const;
  uint32_t find_places(uint32_t begin, uint64_t memory);
  void make_room(uint64_t values, uint64_t parts);
  // Returns what was there before.
  template <class Value>
  Value add_to(Value& sum, Value value) const;
  GroupValue& value_of(uint32_t term, uint32_t group);
  void add_by_group(uint32_t begin, uint32_t end);
  void add_by_node(uint32_t begin, uint32_t end);
  void sort_parts(uint32_t term);
  void finish_sums(uint32_t term);
  double unit_of(uint32_t group) const;

  const TopicVectors& vectors_;
  const NodeGroups groups_;
  ThreadPool& pool_;
  Members members_;              // of the groups, where vectors are copied
  std::vector<uint32_t> nodes_;  // by term: those of all groups that have it
  uint32_t begin_ = 0;           // of the terms made last
  std::vector<Place> places_;    // of these
  LargeArray<GroupValue> all_;
  LargeArray<GroupPart> some_;
};

// How alike groups of pages are.

// A symmetric matrix.
class SimilarityMatrix {
 public:
  explicit SimilarityMatrix(size_t n) : n_(n), values_(n * n) {}
  size_t size() const { return n_; }
  double& at(size_t a, size_t b) { return values_[a * n_ + b]; }
  double at(size_t a, size_t b) const { return values_[a * n_ + b]; }
  std::span<double> row(size_t a) { return std::span(values_).subspan(a * n_, n_); }

 private:
  size_t n_;
  std::vector<double> values_;
};

// The centred group average C(A, B): the mean of (x - mu).(y - mu) over all pairs of a page x of A
// and a page y of B, where mu is the mean of all pages; `sum` is that of all vectors. The diagonal
// is 0. By inverted lists, of as many terms at a time as fit into `memory` bytes, one at least. The
// same for any number of threads and any memory.
SimilarityMatrix centred_averages(const TopicVectors& vectors, const NodeGroups& groups,
                                  std::span<const uint64_t> sum, uint64_t memory, ThreadPool& pool);

}  // namespace kith::topics
