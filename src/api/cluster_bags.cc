#include "kith/cluster_bags.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "api/batch.h"
#include "cluster/clustering.h"
#include "cluster/leader/index.h"
#include "cluster/lsh_buckets.h"
#include "cluster/order.h"
#include "cluster/plan/similarity_plan.h"
#include "run/guarded.h"
#include "similar/exact/exact_join.h"
#include "similar/tables/lsh_join.h"
#include "sketch/signature.h"

namespace kith {
namespace {

constexpr size_t planes_per_chunk = 256;

// The stages of `kith cluster` behind the bags, on arrays.
class BagClusterJob {
 public:
  BagClusterJob(const sketch::BagCollection& bags, const SimilarityOptions& options,
                unsigned threads, const run::StoppingProgress& progress)
      : bags_(bags), options_(options), progress_(progress.callback()), pool_(threads) {
    pool_.set_poll(progress.poll());
  }

  Result<BagClusters> run() {
    Report report;
    run::note_missing_threads(pool_, progress_);
    show("plan", 0);
    KITH_ASSIGN(plan_, cluster::make_plan(bags_, {}, {}, options_, pool_, report));
    order_ = cluster::resolve_order(options_.order, plan_.engine == EngineChoice::exact);
    if (cluster::needs_signatures(plan_.engine, order_)) {
      sketch();
      scan_buckets();
    }
    KITH_ASSIGN(std::vector<uint32_t> ids, scan_order());
    std::erase_if(ids, [&](uint32_t id) { return bags_[id].size() < options_.min_words; });
    KITH_ASSIGN(const cluster::Clustering found, find_leaders(ids));
    return result(found, report);
  }

 private:
  void show(std::string_view stage, double share) const {
    if (progress_) progress_({stage, share, 1, ""});
  }

  void sketch() {
    show("sketch", 0);
    const sketch::Sketcher sketcher(cluster::sketch_options(options_));
    const uint32_t lanes = sketcher.lanes();
    rows_.resize(bags_.size() * lanes);
    pool_.for_chunks(bags_.size(), planes_per_chunk, [&](size_t begin, size_t end, unsigned) {
      for (size_t i = begin; i < end; ++i) {
        sketcher.sketch(bags_[i], std::span(rows_).subspan(i * lanes, lanes));
      }
    });
    signatures_ = sketch::Signatures(rows_, lanes);
  }

  void scan_buckets() {
    cluster::BucketOptions options;
    options.pivots =
        similar::close_pivot_rule(sketch::similarity_of(plan_.min_sum), signatures_.lanes());
    buckets_ = cluster::scan_buckets(sketch::Tables(plan_.tables), signatures_,
                                     similar::distinct_bags(bags_, plan_.groups),
                                     plan_.groups.multiplicity, options, pool_);
    // A duplicate has the mass of its representative.
    for (size_t id = 0; id < bags_.size(); ++id) {
      buckets_->mass[id] = buckets_->mass[plan_.groups.representative[id]];
    }
  }

  Result<std::vector<uint32_t>> scan_order() {
    const size_t n = bags_.size();
    switch (order_) {
      case Order::degree: {
        KITH_ASSIGN(const std::vector<uint64_t> degrees, find_degrees());
        return cluster::order_by_key(degrees, pool_);
      }
      case Order::mass:
        return cluster::order_by_key(buckets_->mass.span(), pool_);
      case Order::random:
        return cluster::random_order(n, mix64(options_.seed));
      case Order::inlinks:
      case Order::url:
      case Order::automatic:
        break;
    }
    return cluster::order_by_id(n);
  }

  Result<std::vector<uint64_t>> find_degrees() {
    const auto progress = [&](double share) { show("pairs", share); };
    if (plan_.engine == EngineChoice::exact) {
      KITH_ASSIGN(const auto joined,
                  similar::exact_join(bags_, plan_.groups, {.min_sum = plan_.min_sum, .top = 0},
                                      pool_, progress));
      return std::vector<uint64_t>(joined.degree.begin(), joined.degree.end());
    }
    similar::LshJoinOptions options;
    options.min_sum = plan_.min_sum;
    options.top = 0;
    options.plane_miss = cluster::pair_plane_miss;
    KITH_ASSIGN(const auto joined,
                similar::lsh_join(bags_, plan_.groups, signatures_, sketch::Tables(plan_.tables),
                                  options, pool_, nullptr, progress));
    return std::vector<uint64_t>(joined.degree.begin(), joined.degree.end());
  }

  Result<cluster::Clustering> find_leaders(std::span<const uint32_t> ids) {
    const auto& representative = plan_.groups.representative;
    const std::vector<uint32_t> groups = cluster::collapse_order(ids, representative);
    cluster::LeaderOptions options;
    options.min_sum = plan_.min_sum;
    options.assign = options_.assign;
    const auto progress = [&](double share) { show("cluster", share); };
    const bool exact = plan_.engine == EngineChoice::exact;
    KITH_ASSIGN(auto rows, cluster::OrderedRows::make(
                               bags_, exact ? sketch::Signatures() : signatures_, groups, {}));
    KITH_ASSIGN(
        const cluster::LeaderResult leaders,
        exact ? cluster::exact_leaders(bags_.size(), rows, options, pool_, progress)
              : cluster::lsh_leaders(bags_.size(), rows, *buckets_, options, pool_, progress));
    return cluster::expand_groups(leaders.clustering, ids, representative, pool_);
  }

  BagClusters result(const cluster::Clustering& found, const Report& report) const {
    BagClusters clusters;
    clusters.center = found.center;
    clusters.similarity.reserve(found.size());
    for (const uint32_t sum : found.sum_of_minima) {
      clusters.similarity.push_back(sketch::similarity_of(sum));
    }
    clusters.threshold = report.threshold;
    clusters.engine = report.engine;
    clusters.duplicates = report.bags.duplicates;
    return clusters;
  }

  const sketch::BagCollection bags_;
  const SimilarityOptions options_;
  const ProgressCallback progress_;
  ThreadPool pool_;
  cluster::SimilarityPlan plan_;
  Order order_ = Order::automatic;
  std::vector<uint16_t> rows_;
  sketch::Signatures signatures_;  // of rows_
  std::optional<cluster::LshBuckets> buckets_;
};

Status check_options(const SimilarityOptions& options) {
  KITH_TRY(validate(options));
  if (options.engine == EngineChoice::paper) {
    return api::usage("engine paper: works on files only; run cluster_crawl() on a crawl");
  }
  if (options.order == Order::inlinks)
    return api::usage("order inlinks: bags in memory have no links");
  return cluster::check_tables(options);
}

}  // namespace

Result<BagClusters> cluster_bags(const Bags& bags, const SimilarityOptions& options,
                                 unsigned threads, const ProgressCallback& progress) {
  return run::guarded([&]() -> Result<BagClusters> {
    KITH_TRY(check_options(options));
    KITH_TRY(validate(Resources{.threads = threads}));
    return BagClusterJob(bags.arrays().collection(), options, threads,
                         run::StoppingProgress(progress))
        .run();
  });
}

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
