#include "unit/topics/collection.h"

#include <algorithm>
#include <numeric>

#include <gtest/gtest.h>

#include "base/parallel/thread_pool.h"
#include "base/random.h"
#include "topics/neighbour_graph.h"

namespace kith::topics::test {
namespace {

kith::test::OwnedBags planted_bags(uint32_t bags, uint32_t topics, uint64_t seed,
                                   std::vector<uint32_t>& topic_of) {
  kith::test::RandomBagsOptions options;
  options.bags = bags;
  options.words = 30;
  options.vocabulary = terms / 2;
  options.topics = topics;
  options.topic_words = 80;
  options.topic_share = 0.7;
  options.seed = seed;
  return kith::test::random_bags(options, &topic_of);
}

run::Neighbours nearest(const sketch::BagCollection& bags, uint32_t neighbours,
                        kith::test::MemoryFileSystem& fs) {
  auto writer = run::NeighboursWriter::create(fs, "neighbours").value();
  for (uint32_t id = 0; id < bags.size(); ++id) {
    std::vector<similar::Neighbour> list;
    for (uint32_t other = 0; other < bags.size(); ++other) {
      const uint32_t sum = sketch::sum_of_minima(bags[id], bags[other]);
      if (other != id && sum > 0) list.push_back({other, sum});
    }
    std::ranges::sort(list, similar::nearer);
    list.resize(std::min<size_t>(list.size(), neighbours));
    EXPECT_TRUE(writer.add(list, static_cast<uint32_t>(list.size())).is_ok());
  }
  EXPECT_TRUE(writer.finish().is_ok());
  return run::Neighbours::open(fs, "neighbours").value();
}

}  // namespace

Collection::Collection(uint32_t bags, uint32_t topics, uint64_t seed, uint32_t neighbours)
    : bags_(planted_bags(bags, topics, seed, planted_)) {
  prepare(neighbours);
}

Collection::Collection(kith::test::OwnedBags bags, uint32_t neighbours) : bags_(std::move(bags)) {
  prepare(neighbours);
}

void Collection::prepare(uint32_t neighbours) {
  ThreadPool pool(1);
  neighbours_ = std::make_unique<run::Neighbours>(nearest(bags(), neighbours, fs_));
  groups_ = similar::find_duplicates(bags(), pool);
  nodes_ = make_nodes(bags(), groups_);
  graph_ = make_neighbour_graph(*neighbours_, nodes_, pool);
}

Tree Collection::tree(unsigned threads, uint64_t memory, const TreeOptions& options) const {
  ThreadPool pool(threads);
  const std::vector<bool> words(terms, true);
  const std::vector<uint32_t> hosts(bags().size(), 0);
  const sketch::BagCollection view = bags();
  return make_tree({view, nodes_, terms, words, hosts, {}, {}, memory}, {copy_of(graph_)}, options,
                   pool);
}

PageGraph graph_of(uint32_t nodes, const std::vector<TestEdge>& edges) {
  std::vector<std::vector<Edge<uint32_t>>> rows(nodes);
  for (const auto& [a, b, weight] : edges) {
    rows[a].push_back({b, weight});
    rows[b].push_back({a, weight});
  }
  PageGraph graph;
  graph.offsets = LargeArray<uint64_t>(nodes + 1);
  graph.edges = LargeArray<Edge<uint32_t>>(2 * edges.size());
  graph.degree = LargeArray<uint64_t>(nodes);
  for (uint32_t node = 0; node < nodes; ++node) {
    std::ranges::copy(rows[node], graph.edges.data() + graph.offsets[node]);
    graph.offsets[node + 1] = graph.offsets[node] + rows[node].size();
    for (const auto& edge : rows[node]) graph.degree[node] += edge.weight;
    graph.total += graph.degree[node];
  }
  return graph;
}

PageGraph copy_of(const PageGraph& graph) {
  const auto copied = [](const auto& array) {
    auto copy = std::remove_cvref_t<decltype(array)>(array.size());
    std::ranges::copy(array.span(), copy.data());
    return copy;
  };
  return {copied(graph.offsets), copied(graph.edges), copied(graph.degree), graph.total};
}

PageGraph block_graph(uint32_t nodes, uint32_t blocks, double inside, double outside,
                      uint64_t seed) {
  Rng rng(seed);
  std::vector<TestEdge> edges;
  for (uint32_t a = 0; a < nodes; ++a) {
    for (uint32_t b = a + 1; b < nodes; ++b) {
      const double chance = a % blocks == b % blocks ? inside : outside;
      if (rng.uniform() >= chance) continue;
      edges.push_back({a, b, 1 + static_cast<uint32_t>(rng.below(1 << 17))});
    }
  }
  return graph_of(nodes, edges);
}

}  // namespace kith::topics::test
