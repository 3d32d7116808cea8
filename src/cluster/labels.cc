#include "cluster/labels.h"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "base/check.h"
#include "cluster/clustering.h"
#include "cluster/label_candidates.h"

namespace kith::cluster {

Hosts::Hosts(std::span<const uint32_t> begins, const sketch::BagCollection& bags)
    : begins_(begins), ids_(static_cast<uint32_t>(bags.size())), filled_(begins.size(), 0) {
  KITH_CHECK(begins.empty() ? ids_ == 0 : begins.front() == 0 && begins.back() < ids_);
  const auto offsets = bags.offsets();
  for (uint32_t host = 0; host < size(); ++host) {
    const auto [begin, end] = ids(host);
    for (uint32_t id = begin; id < end; ++id) filled_[host] += offsets[id] < offsets[id + 1];
  }
}

uint32_t Hosts::host_of(uint32_t id) const {
  return static_cast<uint32_t>(std::ranges::upper_bound(begins_, id) - begins_.begin()) - 1;
}

OwnHosts own_hosts(const Hosts& hosts, std::span<const uint32_t> members,
                   std::vector<uint32_t>& scratch) {
  scratch.clear();
  for (const uint32_t id : members) scratch.push_back(hosts.host_of(id));
  std::ranges::sort(scratch);
  OwnHosts own;
  for (auto at = scratch.begin(); at != scratch.end();) {
    const auto next = std::upper_bound(at, scratch.end(), *at);
    const auto here = static_cast<uint64_t>(next - at);
    if (here * OwnHosts::most >= members.size() && hosts.filled(*at) >= OwnHosts::min_filled) {
      own.hosts[own.count++] = *at;
      own.members += here;
      own.filled += hosts.filled(*at);
    }
    at = next;
  }
  return own.members * 10 > own.filled * 9 ? OwnHosts() : own;
}

namespace {

constexpr size_t table_size = 1 << 14;

double n_log_n(uint64_t n) {
  const auto real = static_cast<double>(n);
  return n > 0 ? real * std::log(real) : 0;
}

// f: n_log_n(), or as good.
template <class F>
double ratio_by(const F& f, uint64_t inside, uint64_t members, uint64_t outside, uint64_t others) {
  const uint64_t with = inside + outside;
  const uint64_t without = members - inside + others - outside;
  const double cells = f(inside) + f(members - inside) + f(outside) + f(others - outside);
  const double margins = f(members) + f(others) + f(with) + f(without);
  return std::max(0.0, 2 * (cells - margins + f(members + others)));
}

}  // namespace

double log_likelihood_ratio(uint64_t inside, uint64_t members, uint64_t outside, uint64_t others) {
  return ratio_by(n_log_n, inside, members, outside, others);
}

LogLikelihood::LogLikelihood() : n_log_n_(table_size) {
  for (uint64_t n = 0; n < table_size; ++n) n_log_n_[n] = n_log_n(n);
}

double LogLikelihood::ratio(uint64_t inside, uint64_t members, uint64_t outside,
                            uint64_t others) const {
  const auto f = [&](uint64_t n) { return n < table_size ? n_log_n_[n] : n_log_n(n); };
  return ratio_by(f, inside, members, outside, others);
}

namespace {

// Tells the clusters that have a cluster as their nearest one which of their terms are not typical
// of it.
class NearestComparison : public CountVisitor {
 public:
  NearestComparison(const ClusterLists& clusters, std::span<const uint32_t> nearest,
                    double min_share, std::span<TermCounter> counters, ClusterLabels& labels)
      : clusters_(clusters),
        min_share_(min_share),
        counters_(counters),
        labels_(labels),
        askers_at_(clusters.groups() + 1, 0) {
    for (const uint32_t asked : nearest) {
      if (asked != NearestClusters::none) ++askers_at_[asked + 1];
    }
    for (size_t i = 1; i < askers_at_.size(); ++i) askers_at_[i] += askers_at_[i - 1];
    askers_.resize(askers_at_.back());
    // Filled from behind, so that each offset ends where its list begins.
    std::vector<uint32_t> end(askers_at_.begin() + 1, askers_at_.end());
    for (size_t cluster = nearest.size(); cluster-- > 0;) {
      const uint32_t asked = nearest[cluster];
      if (asked != NearestClusters::none) askers_[--end[asked]] = static_cast<uint32_t>(cluster);
    }
  }

  bool wants(size_t cluster) const override {
    return askers_at_[cluster] < askers_at_[cluster + 1];
  }
  void own_ids(size_t, std::vector<IdRange>&) const override {}
  void take(size_t cluster, std::span<const TermCount> counts, unsigned worker) override {
    const std::span<uint32_t> members = counters_[worker].table();
    for (const TermCount& count : counts) members[count.term] = count.members;
    const uint64_t least = min_members(clusters_.size_of(cluster), min_share_);
    const auto is_own = [&](uint32_t term) { return members[term] < least; };
    for (uint32_t i = askers_at_[cluster]; i < askers_at_[cluster + 1]; ++i) {
      labels_.bring_forward(askers_[i], is_own);
    }
    for (const TermCount& count : counts) members[count.term] = 0;
  }

 private:
  const ClusterLists& clusters_;
  const double min_share_;
  const std::span<TermCounter> counters_;
  ClusterLabels& labels_;
  std::vector<uint32_t> askers_at_;  // by cluster
  std::vector<uint32_t> askers_;     // clusters, by the one that is nearest to them
};

}  // namespace

void ClusterLabels::set(size_t cluster, std::span<const uint32_t> terms) {
  KITH_CHECK(terms.size() <= considered);
  std::ranges::copy(terms, terms_.begin() + static_cast<ptrdiff_t>(cluster * considered));
  counts_[cluster] = static_cast<uint8_t>(terms.size());
}

std::vector<uint32_t> count_document_frequencies(const sketch::BagCollection& bags, size_t terms,
                                                 ThreadPool& pool) {
  std::vector<uint32_t> frequency(terms, 0);
  const auto add = [&](uint32_t term, uint32_t count) {
    std::atomic_ref(frequency[term]).fetch_add(count, std::memory_order_relaxed);
  };
  // The first terms of a dictionary are the most frequent: each thread counts those alone, in its
  // second-level cache.
  const size_t frequent = std::min(terms, size_t{1} << 15);
  std::vector<std::vector<uint32_t>> counts(pool.size(), std::vector<uint32_t>(frequent, 0));
  std::vector<sketch::BagBuffer> buffers(pool.size());
  const size_t chunk = bags.bags_in(1 << 20);
  pool.for_chunks(bags.size(), chunk, [&](size_t begin, size_t end, unsigned worker) {
    const sketch::BagBlock block = bags.block(begin, end, buffers[worker]);
    for (size_t id = begin; id < end; ++id) {
      for (const sketch::BagEntry& entry : block[id]) {
        if (entry.term < frequent) {
          ++counts[worker][entry.term];
        } else {
          add(entry.term, 1);
        }
      }
    }
  });
  for (const std::vector<uint32_t>& mine : counts) {
    for (uint32_t term = 0; term < frequent; ++term) add(term, mine[term]);
  }
  return frequency;
}

Result<ClusterLabels> label_clusters(OrderedRows& rows, const ClusterLists& clusters,
                                     const LabelContext& context, const LabelOptions& options,
                                     ThreadPool& pool) {
  const size_t groups = clusters.groups();
  KITH_CHECK(rows.size() == clusters.offsets()[groups]);
  KITH_CHECK(context.nearest.empty() || context.nearest.size() == groups);
  const unsigned threads = std::min(pool.size(), options.threads);
  std::vector<TermCounter> counters(threads, TermCounter(context.frequency.size()));
  const LogLikelihood likelihood;
  ClusterLabels labels(clusters.size(), groups);
  for (size_t first = 0; first < groups;) {
    LabelCandidates stretch(clusters, first, context, options, threads, pool);
    for (auto next = stretch.next(); next.begin < next.end; next = stretch.next()) {
      KITH_TRY(count_clusters(rows, clusters, next.begin, next.end, counters, stretch, pool));
      stretch.pack();
    }
    stretch.count_hosts(counters);
    stretch.choose(likelihood, labels);
    first = stretch.end();
  }
  if (context.nearest.empty()) return labels;
  NearestComparison comparison(clusters, context.nearest, options.min_share, counters, labels);
  KITH_TRY(count_clusters(rows, clusters, 0, groups, counters, comparison, pool));
  return labels;
}

}  // namespace kith::cluster
