#include <algorithm>
#include <cmath>
#include <numeric>

#include "kith/cluster_bags.h"

#include "api/batch.h"
#include "cluster/clustering.h"

namespace kith {
namespace {

constexpr uint32_t none = UINT32_MAX;

Status check_pairs(uint32_t n, std::span<const SimilarIds> pairs) {
  for (size_t i = 0; i < pairs.size(); ++i) {
    const SimilarIds& pair = pairs[i];
    if (pair.a >= n || pair.b >= n) {
      return api::usage(fmt::format("pair {}: has the ids {} and {}, but they must be below {}", i,
                                    pair.a, pair.b, n));
    }
    if (pair.a == pair.b) return api::usage(fmt::format("pair {}: is of one id twice", i));
    if (std::isnan(pair.similarity)) {
      return api::usage(fmt::format("pair {}: its similarity is no number", i));
    }
  }
  return Status::ok();
}

Status check_order(uint32_t n, std::span<const uint32_t> order) {
  std::vector<bool> seen(n);
  for (const uint32_t id : order) {
    if (id >= n || seen[id]) {
      return api::usage(fmt::format("order: id {} is not below {}, or comes twice", id, n));
    }
    seen[id] = true;
  }
  if (order.size() == n) return Status::ok();
  return api::usage(fmt::format("order: has {} ids of {}", order.size(), n));
}

struct Edge {
  uint32_t from;
  uint32_t to;
  double similarity;
};

// The neighbours of every id, each once with the greatest similarity that is given for it.
class Graph {
 public:
  Graph(uint32_t n, std::span<const SimilarIds> pairs) : offsets_(n + size_t{1}) {
    edges_.reserve(2 * pairs.size());
    for (const SimilarIds& pair : pairs) {
      edges_.push_back({pair.a, pair.b, pair.similarity});
      edges_.push_back({pair.b, pair.a, pair.similarity});
    }
    std::ranges::sort(edges_, [](const Edge& x, const Edge& y) {
      if (x.from != y.from) return x.from < y.from;
      return x.to != y.to ? x.to < y.to : x.similarity > y.similarity;
    });
    const auto repeated = [](const Edge& x, const Edge& y) {
      return x.from == y.from && x.to == y.to;
    };
    edges_.erase(std::unique(edges_.begin(), edges_.end(), repeated), edges_.end());
    for (const Edge& edge : edges_) ++offsets_[edge.from + size_t{1}];
    std::partial_sum(offsets_.begin(), offsets_.end(), offsets_.begin());
  }

  std::span<const Edge> of(uint32_t id) const {
    return std::span(edges_).subspan(offsets_[id], offsets_[id + size_t{1}] - offsets_[id]);
  }

 private:
  std::vector<Edge> edges_;
  std::vector<uint64_t> offsets_;
};

std::vector<uint32_t> by_degree(const Graph& graph, uint32_t n) {
  std::vector<uint32_t> order(n);
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::stable_sort(order, std::ranges::greater(),
                           [&](uint32_t id) { return graph.of(id).size(); });
  return order;
}

std::vector<uint32_t> find_centers(const Graph& graph, std::span<const uint32_t> order,
                                   Assign assign) {
  const auto n = static_cast<uint32_t>(order.size());
  std::vector<uint32_t> rank(n, none);  // of the centers
  for (uint32_t place = 0; place < n; ++place) {
    const auto is_center = [&](const Edge& edge) { return rank[edge.to] != none; };
    if (std::ranges::none_of(graph.of(order[place]), is_center)) rank[order[place]] = place;
  }
  std::vector<uint32_t> center(n);
  for (uint32_t id = 0; id < n; ++id) {
    center[id] = id;
    if (rank[id] != none) continue;
    const Edge* best = nullptr;
    for (const Edge& edge : graph.of(id)) {
      if (rank[edge.to] == none) continue;
      const bool better =
          best == nullptr || (assign == Assign::best && edge.similarity != best->similarity
                                  ? edge.similarity > best->similarity
                                  : rank[edge.to] < rank[best->to]);
      if (better) best = &edge;
    }
    center[id] = best->to;
  }
  return center;
}

}  // namespace

Result<std::vector<uint32_t>> center_clusters(uint32_t n, std::span<const SimilarIds> pairs,
                                              const CenterOptions& options) {
  KITH_TRY(check_pairs(n, pairs));
  std::vector<uint32_t> center;
  const Status done = run::guarded([&]() -> Status {
    if (!options.order.empty()) KITH_TRY(check_order(n, options.order));
    const Graph graph(n, pairs);
    const std::vector<uint32_t> own =
        options.order.empty() ? by_degree(graph, n) : std::vector<uint32_t>();
    center = find_centers(graph, options.order.empty() ? own : options.order, options.assign);
    return Status::ok();
  });
  KITH_TRY(done);
  return center;
}

Result<std::vector<uint32_t>> components(uint32_t n, std::span<const SimilarIds> pairs) {
  KITH_TRY(check_pairs(n, pairs));
  std::vector<uint32_t> least;
  const Status done = run::guarded([&] {
    cluster::Components joined(n);
    for (const SimilarIds& pair : pairs) joined.join(pair.a, pair.b);
    least.resize(n);
    for (uint32_t id = 0; id < n; ++id) least[id] = joined.find(id);
    return Status::ok();
  });
  KITH_TRY(done);
  return least;
}

}  // namespace kith
