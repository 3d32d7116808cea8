#include "cluster/label_candidates.h"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "base/check.h"

namespace kith::cluster {

uint64_t min_members(size_t cluster_size, double min_share) {
  const double share = std::ceil(min_share * static_cast<double>(cluster_size));
  return std::max<uint64_t>(2, static_cast<uint64_t>(share));
}

size_t LabelCandidates::last_of(size_t first, const ClusterLists& clusters,
                                const LabelContext& context, const LabelOptions& options) {
  const auto offsets = context.bags.offsets();
  // Lists that grow have room for twice what is in them.
  constexpr uint64_t bytes_of_one = 2 * sizeof(Candidate);
  uint64_t bytes = 0;
  size_t last = first;
  for (; last < clusters.groups(); ++last) {
    uint64_t entries = 0;
    for (const uint32_t id : clusters[last]) entries += offsets[id + 1] - offsets[id];
    const uint64_t most = entries / min_members(clusters.size_of(last), options.min_share);
    bytes += most * bytes_of_one + sizeof(OwnHosts) + sizeof(Place);
    if (bytes > options.memory && last > first) break;
  }
  return last;
}

LabelCandidates::LabelCandidates(const ClusterLists& clusters, size_t first, size_t last,
                                 const LabelContext& context, const LabelOptions& options,
                                 unsigned workers, ThreadPool& pool)
    : clusters_(clusters),
      first_(first),
      context_(context),
      min_share_(options.min_share),
      pool_(pool),
      own_(last - first),
      places_(last - first),
      candidates_(workers) {
  std::vector<std::vector<uint32_t>> scratch(pool.size());
  constexpr size_t grain = 64;
  pool.for_chunks(own_.size(), grain, [&](size_t begin, size_t end, unsigned worker) {
    for (size_t i = begin; i < end; ++i) {
      own_[i] = own_hosts(*context_.hosts, clusters_[first_ + i], scratch[worker]);
    }
  });
}

void LabelCandidates::own_ids(size_t cluster, std::vector<IdRange>& ranges) const {
  for (const uint32_t host : own_[cluster - first_].list()) {
    ranges.push_back(context_.hosts->ids(host));
  }
}

void LabelCandidates::take(size_t cluster, std::span<const TermCount> counts, unsigned worker) {
  const size_t index = cluster - first_;
  std::vector<Candidate>& candidates = candidates_[worker];
  const uint64_t begin = candidates.size();
  const uint64_t least = min_members(clusters_.size_of(cluster), min_share_);
  const bool has_hosts = own_[index].count > 0;
  for (const TermCount& count : counts) {
    if (count.members < least) continue;
    KITH_CHECK(count.term < context_.frequency.size());
    // What is on the own hosts is added host by host; members are no others.
    const uint32_t outside =
        has_hosts ? 0 - count.own : context_.frequency[count.term] - count.members;
    candidates.push_back({count.term, count.members, outside, count.weight, 0});
  }
  places_[index] = {worker, static_cast<uint32_t>(candidates.size() - begin), begin};
}

std::span<LabelCandidates::Candidate> LabelCandidates::candidates_of(size_t index) {
  const Place& place = places_[index];
  return std::span(candidates_[place.worker]).subspan(place.begin, place.count);
}

std::vector<LabelCandidates::HostOfCluster> LabelCandidates::by_host() const {
  std::vector<HostOfCluster> pairs;
  for (size_t i = 0; i < own_.size(); ++i) {
    for (const uint32_t host : own_[i].list()) pairs.push_back({host, static_cast<uint32_t>(i)});
  }
  std::ranges::stable_sort(pairs, {}, &HostOfCluster::host);
  return pairs;
}

void LabelCandidates::count_hosts(std::span<TermCounter> counters) {
  const std::vector<HostOfCluster> pairs = by_host();
  std::vector<std::span<const HostOfCluster>> hosts;
  for (auto at = pairs.begin(); at != pairs.end();) {
    const auto next = std::ranges::upper_bound(at, pairs.end(), at->host, {}, &HostOfCluster::host);
    hosts.emplace_back(at, next);
    at = next;
  }
  // The largest first, so that they do not keep one thread busy at the end.
  const auto pages = [&](const auto& host) { return context_.hosts->filled(host.front().host); };
  std::ranges::stable_sort(hosts, std::greater(), pages);
  std::atomic<size_t> next = 0;
  pool_.run([&](unsigned worker) {
    if (worker >= counters.size()) return;
    BagBuffer buffer;
    for (size_t i = next++; i < hosts.size(); i = next++) {
      add_host(hosts[i], counters[worker].table(), buffer);
    }
  });
}

// A host as large as the collection keeps one thread busy for as long as it takes to read the bags
// once: little beside what came before.
void LabelCandidates::add_host(std::span<const HostOfCluster> host, std::span<uint32_t> table,
                               BagBuffer& buffer) {
  const IdRange ids = context_.hosts->ids(host.front().host);
  const size_t chunk = context_.bags.bags_in(1 << 20);
  for (size_t begin = ids.begin; begin < ids.end; begin += chunk) {
    const size_t end = std::min<size_t>(ids.end, begin + chunk);
    const BagBlock block = context_.bags.block(begin, end, buffer);
    for (size_t id = begin; id < end; ++id) {
      for (const BagEntry& entry : block[id]) {
        KITH_CHECK(entry.term < table.size());
        ++table[entry.term];
      }
    }
  }
  for (const HostOfCluster& pair : host) {
    for (Candidate& candidate : candidates_of(pair.cluster)) {
      // Other threads add other hosts.
      std::atomic_ref(candidate.outside)
          .fetch_add(table[candidate.term], std::memory_order_relaxed);
    }
  }
  if (ids.end - ids.begin > chunk) {
    std::ranges::fill(table, 0);
    return;
  }
  const BagBlock block = context_.bags.block(ids.begin, ids.end, buffer);
  for (size_t id = ids.begin; id < ids.end; ++id) {
    for (const BagEntry& entry : block[id]) table[entry.term] = 0;
  }
}

bool LabelCandidates::better(const Candidate& a, const Candidate& b) {
  if (a.score != b.score) return a.score > b.score;
  if (a.weight != b.weight) return a.weight > b.weight;
  return a.term < b.term;
}

void LabelCandidates::choose(const LogLikelihood& likelihood, ClusterLabels& labels) {
  constexpr size_t grain = 64;
  pool_.for_chunks(own_.size(), grain, [&](size_t begin, size_t end, unsigned) {
    for (size_t i = begin; i < end; ++i) choose_one(i, likelihood, labels);
  });
}

void LabelCandidates::choose_one(size_t index, const LogLikelihood& likelihood,
                                 ClusterLabels& labels) {
  const uint64_t members = clusters_.size_of(first_ + index);
  const OwnHosts& own = own_[index];
  const uint64_t others = own.count > 0 ? own.filled - own.members : context_.documents - members;
  const std::span<Candidate> all = candidates_of(index);
  const auto rarer_inside = [&](const Candidate& candidate) {
    return candidate.members * others < candidate.outside * members;
  };
  const auto end = std::remove_if(all.begin(), all.end(), rarer_inside);
  for (auto at = all.begin(); at != end; ++at) {
    at->score = likelihood.ratio(at->members, members, at->outside, others);
  }
  const auto best = all.begin() + std::min<ptrdiff_t>(ClusterLabels::considered, end - all.begin());
  std::partial_sort(all.begin(), best, end, better);
  std::array<uint32_t, ClusterLabels::considered> terms;
  std::transform(all.begin(), best, terms.begin(), [](const Candidate& c) { return c.term; });
  labels.set(first_ + index, std::span(terms).first(static_cast<size_t>(best - all.begin())));
}

}  // namespace kith::cluster
