// The graph that topics stand on: its nodes, which are pages with their lists and weights, its
// edges, and the topic of pages that are no nodes of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/memory.h"
#include "base/parallel/thread_pool.h"
#include "run/index_files.h"
#include "similar/duplicates.h"
#include "sketch/bag.h"
#include "topics/graph.h"

namespace kith::topics {

struct Tree;

// One value of many by its rank.

// The n-th greatest of some values, each >= 0; equal ones count as often as they are there.
// REQUIRES: 0 < n <= values.size().
float nth_greatest(std::span<const float> values, size_t n);

// The nodes of the topic graph: the different bags of a run that have enough words.
struct Nodes {
  std::vector<uint32_t> page;     // by node, ascending: the lowest id of the pages with its bag
  std::vector<uint32_t> pages;    // by node: how many pages have its bag, >= 1
  std::vector<uint32_t> node_of;  // by page; similar::no_id where it is in no topic

  size_t size() const { return page.size(); }
};

// Bags of fewer different words that have no copy are in no topic, as they are in no cluster;
// min_words >= 1.
Nodes make_nodes(const sketch::BagCollection& bags, const similar::DuplicateGroups& groups,
                 uint32_t min_words = 1);

// The lists of neighbours with nodes in the place of pages, and how much an entry counts.

// Of a list of neighbours the first so many are edges.
inline constexpr uint32_t max_neighbours = 50;

// The list of a node is that of its first page, without its own copies and with those of another
// bag once. Thread-safe once made; lives no longer than what it is made of.
class NodeLists {
 public:
  NodeLists(const run::Neighbours& lists, const Nodes& nodes, ThreadPool& pool);

  size_t size() const { return nodes_.size(); }
  // The list of a node, most similar first.
  void read(size_t node, std::vector<similar::Neighbour>& list) const;
  // What an entry of the list of a node counts: with s the similarity and m_i the mean of s over
  // the list of i, s / sqrt(m_i m_j) in units of 2^-16, at most 10^4: local scaling, so that pages
  // of dense regions are no hubs (Zelnik-Manor and Perona, Self-tuning spectral clustering, 2004).
  // The same in both directions.
  uint32_t scaled(size_t node, const similar::Neighbour& entry) const;

  // Calls visit(node, list) for every node, with all threads.
  template <class Visit>
  void for_all(ThreadPool& pool, const Visit& visit) const {
    pool.for_chunks(size(), 4096, [&](size_t begin, size_t end, unsigned) {
      std::vector<similar::Neighbour> list;
      for (size_t node = begin; node < end; ++node) {
        read(node, list);
        visit(node, std::span<const similar::Neighbour>(list));
      }
    });
    lists_.release();
  }

 private:
  const run::Neighbours& lists_;
  const Nodes& nodes_;
  LargeArray<double> mean_;  // by node: of the similarities in its list
};

// Pages of few words, which are no nodes: each is in the topic of its nearest page.

// Every page that is no node joins the first one of its list that is: `nodes` knows it then as a
// page of that node, and the topics of the node count it. A page whose list has none stays without
// a topic. Neither labels nor directions change. Memory: 4 bytes for each node and each page.
void join_nearest(const run::Neighbours& neighbours, Nodes& nodes, Tree& tree);

// The graph that topics stand on: every page with its nearest pages.

// An edge wherever a node is in the list of another. With c = NodeLists::scaled() the weight is
// max(1, (c + 1) / 2), or max(1, c) where each is in the list of the other. The same for any number
// of threads.
PageGraph make_neighbour_graph(const run::Neighbours& lists, const Nodes& nodes, ThreadPool& pool);

// Only the edges where each node is in the list of the other, at most as many as a list has: half
// of the memory.
PageGraph make_mutual_graph(const run::Neighbours& lists, const Nodes& nodes, ThreadPool& pool);

}  // namespace kith::topics
