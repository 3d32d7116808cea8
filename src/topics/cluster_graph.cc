#include "topics/cluster_graph.h"

#include <algorithm>
#include <tuple>

#include "topics/community_weights.h"
#include "topics/contraction.h"
#include "topics/node_lists.h"
#include "topics/symmetric_graph.h"

namespace kith::topics {
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

}  // namespace kith::topics
