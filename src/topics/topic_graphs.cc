#include "topics/topic_graphs.h"

#include <algorithm>
#include <numeric>
#include <span>
#include <tuple>
#include <utility>

#include "topics/communities.h"
#include "topics/graph.h"
#include "topics/neighbour_graph.h"

namespace kith::topics {
namespace {

constexpr size_t items_per_chunk = 4096;

// Where nodes go to, by where they stand.
class Moves {
 public:
  Moves(size_t nodes, std::span<const SplitTopic> topics, ThreadPool& pool)
      : group_(nodes), place_(nodes), topics_(topics), pool_(pool) {
    for (const SplitTopic& topic : topics) enter(topic);
  }

  // Calls visit(node, from, topic) for the new nodes of all topics; `from` is where it stood.
  template <class Visit>
  void for_each(const Visit& visit) const {
    for (const SplitTopic& topic : topics_) {
      const std::span<const uint32_t> items(topic.members.items);
      pool_.for_chunks(items.size(), items_per_chunk, [&](size_t begin, size_t end, unsigned) {
        for (size_t i = begin; i < end; ++i) {
          visit(topic.begin + i, topic.begin + items[i], topic);
        }
      });
    }
  }

  bool stay_together(uint64_t a, uint64_t b) const { return group_[a] == group_[b]; }
  // In its new topic.
  uint32_t place(uint64_t from) const { return place_[from]; }

 private:
  void enter(const SplitTopic& topic) {
    const Members& members = topic.members;
    for (uint32_t g = 0; g + 1 < members.at.size(); ++g) {
      const std::span<const uint32_t> own = members[g];
      for (uint32_t i = 0; i < own.size(); ++i) {
        group_[topic.begin + own[i]] = g;
        place_[topic.begin + own[i]] = i;
      }
    }
  }

  LargeArray<uint32_t> group_;  // of those of its topic
  LargeArray<uint32_t> place_;
  const std::span<const SplitTopic> topics_;
  ThreadPool& pool_;
};

// The edges inside new topics.
PageGraph move_edges(const PageGraph& graph, const Moves& moves) {
  PageGraph moved;
  moved.offsets = LargeArray<uint64_t>(graph.size() + 1);
  moved.degree = LargeArray<uint64_t>(graph.size());
  moves.for_each([&](uint64_t node, uint64_t from, const SplitTopic& topic) {
    uint64_t inside = 0;
    uint64_t degree = graph.degree[from];
    for (const Edge<uint32_t>& edge : graph[from]) {
      if (moves.stay_together(from, topic.begin + edge.to)) {
        ++inside;
      } else {
        degree -= edge.weight;
      }
    }
    moved.offsets[node + 1] = inside;
    moved.degree[node] = degree;
  });
  for (size_t node = 0; node < graph.size(); ++node) {
    moved.offsets[node + 1] += moved.offsets[node];
    moved.total += moved.degree[node];
  }
  moved.edges = LargeArray<Edge<uint32_t>>(moved.offsets[graph.size()]);
  moves.for_each([&](uint64_t node, uint64_t from, const SplitTopic& topic) {
    uint64_t filled = moved.offsets[node];
    for (const Edge<uint32_t>& edge : graph[from]) {
      const uint64_t other = topic.begin + edge.to;
      if (!moves.stay_together(from, other)) continue;
      moved.edges[filled++] = {moves.place(other), edge.weight};
    }
  });
  return moved;
}

std::vector<uint32_t> move_leaders(std::span<const uint32_t> leaders, const Moves& moves) {
  std::vector<uint32_t> moved(leaders.size());
  moves.for_each([&](uint64_t node, uint64_t from, const SplitTopic& topic) {
    const uint64_t leader = topic.begin + leaders[from];
    moved[node] = moves.place(moves.stay_together(from, leader) ? leader : from);
  });
  return moved;
}

}  // namespace

PageGraphView TopicGraphs::graph(uint64_t begin, uint64_t end) const {
  PageGraphView view = graph_;
  view.offsets = view.offsets.subspan(begin, end - begin + 1);
  view.degree = view.degree.subspan(begin, end - begin);
  view.total = std::accumulate(view.degree.begin(), view.degree.end(), uint64_t{0});
  return view;
}

std::span<const uint32_t> TopicGraphs::leaders(uint64_t begin, uint64_t end) const {
  const std::span<const uint32_t> all(leaders_);
  return all.empty() ? all : all.subspan(begin, end - begin);
}

void TopicGraphs::split(std::span<const SplitTopic> topics, ThreadPool& pool) {
  const Moves moves(graph_.size(), topics, pool);
  graph_ = move_edges(graph_, moves);
  if (!leaders_.empty()) leaders_ = move_leaders(leaders_, moves);
}

namespace {

constexpr size_t clusters_per_chunk = 256;

// What one thread needs for the clusters that it sums up.
class ClusterSums {
 public:
  ClusterSums(const NodeLists& lists, std::span<const uint32_t> leaders, uint32_t most)
      : lists_(lists), leaders_(leaders), most_(most) {}

  void add_up(uint32_t leader, std::span<const uint32_t> members) {
    inside_ = 0;
    weights_.begin(std::min<size_t>(members.size() * max_neighbours, leaders_.size()),
                   leaders_.size());
    for (const uint32_t node : members) {
      lists_.read(node, list_);
      for (const similar::Neighbour& entry : list_) {
        const uint32_t other = leaders_[entry.id];
        const uint32_t weight = lists_.scaled(node, entry);
        if (other == leader) {
          inside_ += weight;
        } else {
          weights_.add(other, weight);
        }
      }
    }
    keep_most();
  }
  uint64_t inside() const { return inside_; }
  std::span<const Edge<uint32_t>> row() const { return row_; }

 private:
  void keep_most() {
    found_.clear();
    for (size_t i = 0; i < weights_.size(); ++i) found_.push_back(weights_[i]);
    using Entry = CommunityWeights::Entry;
    std::ranges::sort(found_, [](const Entry& a, const Entry& b) {
      return std::tie(b.weight, a.community) < std::tie(a.weight, b.community);
    });
    found_.resize(std::min<size_t>(found_.size(), most_));
    row_.clear();
    for (const Entry& entry : found_) {
      const uint64_t weight = std::min<uint64_t>(entry.weight, UINT32_MAX);
      row_.push_back({entry.community, static_cast<uint32_t>(weight)});
    }
  }

  const NodeLists& lists_;
  const std::span<const uint32_t> leaders_;
  const uint32_t most_;
  CommunityWeights weights_;
  std::vector<similar::Neighbour> list_;
  std::vector<CommunityWeights::Entry> found_;
  std::vector<Edge<uint32_t>> row_;
  uint64_t inside_ = 0;
};

}  // namespace

std::vector<uint32_t> find_leaders(const run::Clusters& clusters, const Nodes& nodes) {
  std::vector<uint32_t> leaders(nodes.size());
  for (uint32_t node = 0; node < nodes.size(); ++node) {
    const uint32_t center = clusters.center_of(nodes.page[node]);
    const uint32_t leader = center < clusters.urls() ? nodes.node_of[center] : similar::no_id;
    leaders[node] = leader == similar::no_id ? node : leader;
  }
  clusters.release();
  for (uint32_t node = 0; node < leaders.size(); ++node) {
    if (leaders[leaders[node]] != leaders[node]) leaders[node] = node;
  }
  return leaders;
}

PageGraph make_cluster_graph(const run::Neighbours& lists, const Nodes& nodes,
                             std::span<const uint32_t> leaders, uint32_t most, ThreadPool& pool) {
  const NodeLists all(lists, nodes, pool);
  const size_t n = nodes.size();
  const Members members = members_of(leaders, static_cast<uint32_t>(n));
  LargeArray<uint64_t> inside(n);
  const auto for_rows = [&](const auto& visit) {
    pool.for_chunks(n, clusters_per_chunk, [&](size_t begin, size_t end, unsigned) {
      ClusterSums sums(all, leaders, most);
      for (size_t node = begin; node < end; ++node) {
        if (members[node].empty()) continue;
        sums.add_up(static_cast<uint32_t>(node), members[node]);
        inside[node] = sums.inside();
        visit(node, sums.row());
      }
    });
    lists.release();
  };
  PageGraph graph = SymmetricGraph(n, for_rows, pool).build();
  for (size_t node = 0; node < n; ++node) {
    graph.degree[node] += inside[node];
    graph.total += inside[node];
  }
  return graph;
}

namespace {

constexpr size_t lists_per_chunk = 4096;
// Beside a sum of minima, which is less.
constexpr uint32_t mutual = uint32_t{1} << 31;

class MutualGraphBuilder {
 public:
  MutualGraphBuilder(const run::Neighbours& lists, const Nodes& nodes, ThreadPool& pool)
      : lists_(lists, nodes, pool), pool_(pool) {}

  PageGraph build() {
    fill();
    mark();
    merge();
    return std::move(graph_);
  }

 private:
  std::span<Edge<uint32_t>> row(size_t node) {
    return graph_.edges.span().subspan(graph_.offsets[node],
                                       graph_.offsets[node + 1] - graph_.offsets[node]);
  }

  // Lists by ascending id, with their sums of minima.
  void fill() {
    const size_t n = lists_.size();
    graph_.offsets = LargeArray<uint64_t>(n + 1);
    lists_.for_all(pool_, [&](size_t node, std::span<const similar::Neighbour> list) {
      graph_.offsets[node + 1] = list.size();
    });
    for (size_t node = 0; node < n; ++node) graph_.offsets[node + 1] += graph_.offsets[node];
    graph_.edges = LargeArray<Edge<uint32_t>>(graph_.offsets[n]);
    lists_.for_all(pool_, [&](size_t node, std::span<const similar::Neighbour> list) {
      const auto own = row(node);
      for (size_t i = 0; i < list.size(); ++i) own[i] = {list[i].id, list[i].sum_of_minima};
      std::ranges::sort(own, {}, &Edge<uint32_t>::to);
    });
  }

  void mark() {
    pool_.for_chunks(lists_.size(), lists_per_chunk, [&](size_t begin, size_t end, unsigned) {
      for (size_t node = begin; node < end; ++node) {
        const auto own = static_cast<uint32_t>(node);
        for (Edge<uint32_t>& edge : row(node)) {
          if (std::ranges::binary_search(row(edge.to), own, {}, &Edge<uint32_t>::to)) {
            edge.weight |= mutual;
          }
        }
      }
    });
  }

  // Weights in the place of sums; rows move together.
  void merge() {
    const size_t n = lists_.size();
    graph_.degree = LargeArray<uint64_t>(n);
    uint64_t kept = 0;
    for (size_t node = 0; node < n; ++node) {
      if (node % (size_t{1} << 16) == 0) pool_.poll();
      const auto own = row(node);
      graph_.offsets[node] = kept;
      for (const Edge<uint32_t> edge : own) {
        if ((edge.weight & mutual) == 0) continue;
        const uint32_t weight = std::max(1u, lists_.scaled(node, {edge.to, edge.weight & ~mutual}));
        graph_.edges[kept++] = {edge.to, weight};
        graph_.degree[node] += weight;
      }
      graph_.total += graph_.degree[node];
    }
    graph_.offsets[n] = kept;
    graph_.edges.shrink(kept);
  }

  const NodeLists lists_;
  ThreadPool& pool_;
  PageGraph graph_;
};

}  // namespace

PageGraph make_mutual_graph(const run::Neighbours& lists, const Nodes& nodes, ThreadPool& pool) {
  return MutualGraphBuilder(lists, nodes, pool).build();
}

}  // namespace kith::topics
