#include "topics/topic_graphs.h"

#include <numeric>
#include <utility>

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

}  // namespace kith::topics
