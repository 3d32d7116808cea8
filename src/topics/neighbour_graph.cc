#include "topics/neighbour_graph.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <span>
#include <vector>

#include "sketch/bag.h"

namespace kith::topics {
namespace {

using pairs::Neighbour;

constexpr size_t grain = 4096;
constexpr double weight_unit = 1 << 15;

// The list of a node with nodes in place of pages. Copies of one bag have one similarity, so that
// they stand in one stretch of equal sums.
void node_list(std::span<const Neighbour> list, const Nodes& nodes, uint32_t own,
               std::vector<Neighbour>& found) {
  found.clear();
  for (const Neighbour& entry : list) {
    if (found.size() == max_neighbours) return;
    const uint32_t node = nodes.node_of[entry.id];
    if (node == own || node == pairs::no_id) continue;
    bool known = false;
    for (size_t i = found.size(); i-- > 0 && found[i].sum_of_minima == entry.sum_of_minima;) {
      known = known || found[i].id == node;
    }
    if (!known) found.push_back({node, entry.sum_of_minima});
  }
}

class Builder {
 public:
  Builder(const index::Neighbours& lists, const Nodes& nodes, ThreadPool& pool)
      : lists_(lists), nodes_(nodes), pool_(pool), mean_(nodes.size()), filled_(nodes.size()) {}

  PageGraph build() {
    count();
    fill();
    merge();
    return std::move(graph_);
  }

 private:
  template <class Visit>
  void for_lists(const Visit& visit) {
    pool_.for_chunks(nodes_.size(), grain, [&](size_t begin, size_t end, unsigned) {
      std::vector<Neighbour> list;
      for (size_t node = begin; node < end; ++node) {
        node_list(lists_[nodes_.page[node]], nodes_, static_cast<uint32_t>(node), list);
        visit(node, std::span<const Neighbour>(list));
      }
    });
    lists_.release();
  }

  void count() {
    const size_t n = nodes_.size();
    LargeArray<uint32_t> room(n);
    for_lists([&](size_t node, std::span<const Neighbour> list) {
      double sum = 0;
      for (const Neighbour& entry : list) {
        sum += similarity_of(entry.sum_of_minima);
        std::atomic_ref(room[entry.id]).fetch_add(1, std::memory_order_relaxed);
      }
      std::atomic_ref(room[node])
          .fetch_add(static_cast<uint32_t>(list.size()), std::memory_order_relaxed);
      mean_[node] = list.empty() ? 0 : sum / static_cast<double>(list.size());
    });
    graph_.offsets = LargeArray<uint64_t>(n + 1);
    for (size_t node = 0; node < n; ++node) {
      graph_.offsets[node + 1] = graph_.offsets[node] + room[node];
    }
  }

  void add(size_t node, uint32_t to, uint32_t weight) {
    const uint32_t place = std::atomic_ref(filled_[node]).fetch_add(1, std::memory_order_relaxed);
    graph_.edges[graph_.offsets[node] + place] = {to, weight};
  }

  void fill() {
    graph_.edges = LargeArray<Edge<uint32_t>>(graph_.offsets[nodes_.size()]);
    for_lists([&](size_t node, std::span<const Neighbour> list) {
      for (const Neighbour& entry : list) {
        // Neighbours have a common word, so that no mean over a list is 0; but the list of the
        // other may be empty where it is a page of a damaged or foreign file.
        const double scale = std::sqrt(mean_[node] * mean_[entry.id]);
        const double a = scale > 0 ? similarity_of(entry.sum_of_minima) / scale : 0;
        // Half weights are rounded when both directions are known.
        const auto weight = static_cast<uint32_t>(std::min(a, 1e4) * weight_unit * 2);
        add(node, entry.id, weight);
        add(entry.id, static_cast<uint32_t>(node), weight);
      }
    });
  }

  // Both directions of an edge become one, in order of ids; then rows move together.
  void merge() {
    const size_t n = nodes_.size();
    pool_.for_chunks(n, grain, [&](size_t begin, size_t end, unsigned) {
      for (size_t node = begin; node < end; ++node) filled_[node] = merge_row(node);
    });
    graph_.degree = LargeArray<uint64_t>(n);
    uint64_t kept = 0;
    for (size_t node = 0; node < n; ++node) {
      const auto row = graph_.edges.span().subspan(graph_.offsets[node], filled_[node]);
      graph_.offsets[node] = kept;
      for (const Edge<uint32_t>& edge : row) {
        graph_.degree[node] += edge.weight;
        graph_.edges[kept++] = edge;
      }
      graph_.total += graph_.degree[node];
    }
    graph_.offsets[n] = kept;
  }

  uint32_t merge_row(size_t node) {
    const auto row = graph_.edges.span().subspan(graph_.offsets[node], filled_[node]);
    std::ranges::sort(row, {}, &Edge<uint32_t>::to);
    uint32_t kept = 0;
    for (size_t i = 0; i < row.size();) {
      uint64_t twice = 0;
      const uint32_t to = row[i].to;
      for (; i < row.size() && row[i].to == to; ++i) twice += row[i].weight;
      row[kept++] = {to, static_cast<uint32_t>(std::max<uint64_t>(1, (twice + 1) / 2))};
    }
    return kept;
  }

  const index::Neighbours& lists_;
  const Nodes& nodes_;
  ThreadPool& pool_;
  LargeArray<double> mean_;      // by node: of the similarities in its list
  LargeArray<uint32_t> filled_;  // by node: edges in its row
  PageGraph graph_;
};

}  // namespace

PageGraph make_neighbour_graph(const index::Neighbours& lists, const Nodes& nodes,
                               ThreadPool& pool) {
  return Builder(lists, nodes, pool).build();
}

}  // namespace kith::topics
