// Collections with planted topics, with all that a tree is made of.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "run/index_files.h"
#include "similar/duplicates.h"
#include "sketch/bag.h"
#include "support/memory_file_system.h"
#include "support/random_bags.h"
#include "topics/graph.h"
#include "topics/neighbour_graph.h"
#include "topics/tree.h"

namespace kith::topics::test {

inline constexpr uint32_t terms = 4000;  // more than any of these collections has

// Bags of so many topics, some equal and some empty, and with the true K nearest of each, by brute
// force. Does not move.
class Collection {
 public:
  Collection(uint32_t bags, uint32_t topics, uint64_t seed = 1, uint32_t neighbours = 10);
  explicit Collection(kith::test::OwnedBags bags, uint32_t neighbours = 10);
  Collection(const Collection&) = delete;
  Collection& operator=(const Collection&) = delete;

  sketch::BagCollection bags() const { return bags_.view(); }
  const run::Neighbours& neighbours() const { return *neighbours_; }
  const similar::DuplicateGroups& groups() const { return groups_; }
  const Nodes& nodes() const { return nodes_; }
  const PageGraph& graph() const { return graph_; }
  // By page: the topic that its words were drawn from.
  const std::vector<uint32_t>& planted() const { return planted_; }
  // By so many threads and within so much memory for copies of vectors.
  Tree tree(unsigned threads = 1, uint64_t memory = UINT64_MAX,
            const TreeOptions& options = {}) const;

 private:
  void prepare(uint32_t neighbours);

  std::vector<uint32_t> planted_;
  kith::test::OwnedBags bags_;
  kith::test::MemoryFileSystem fs_;
  std::unique_ptr<run::Neighbours> neighbours_;
  similar::DuplicateGroups groups_;
  Nodes nodes_;
  PageGraph graph_;
};

struct TestEdge {
  uint32_t a;
  uint32_t b;
  uint32_t weight;
};
// REQUIRES: each pair once, a != b.
PageGraph graph_of(uint32_t nodes, const std::vector<TestEdge>& edges);

PageGraph copy_of(const PageGraph& graph);

// Nodes in blocks of equal size; an edge joins two of a block with a chance of `inside`, and others
// with one of `outside`, in [0, 1]. Weights up to 2^17.
PageGraph block_graph(uint32_t nodes, uint32_t blocks, double inside, double outside,
                      uint64_t seed);

}  // namespace kith::topics::test
