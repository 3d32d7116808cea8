#include "cluster/label_candidates.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <utility>

#include "base/budget_shares.h"
#include "base/check.h"

namespace kith::cluster {

uint64_t min_members(size_t cluster_size, double min_share) {
  const double share = std::ceil(min_share * static_cast<double>(cluster_size));
  return std::max<uint64_t>(2, static_cast<uint64_t>(share));
}

LabelCandidates::LabelCandidates(const ClusterLists& clusters, size_t first,
                                 const LabelContext& context, const LabelOptions& options,
                                 unsigned workers, ThreadPool& pool)
    : clusters_(clusters),
      first_(first),
      context_(context),
      options_(options),
      pool_(pool),
      counted_(workers) {}

// Of a cluster beside its candidates: twice its places in lists, which are copied when they grow,
// and in by_host() with what it takes to sort.
uint64_t LabelCandidates::bytes_beside(size_t hosts) const {
  constexpr uint64_t of_host = 2 * sizeof(HostOfCluster) + sizeof(std::span<HostOfCluster>);
  return 2 * (sizeof(OwnHosts) + sizeof(Place)) + hosts * of_host;
}

uint64_t LabelCandidates::most_bytes(size_t cluster) const {
  // A list that grows has room for twice what is in it, and is copied when it is packed.
  constexpr uint64_t of_candidate = 3 * sizeof(Candidate);
  const auto offsets = context_.bags.offsets();
  uint64_t entries = 0;
  for (const uint32_t id : clusters_[cluster]) entries += offsets[id + 1] - offsets[id];
  const uint64_t most = entries / min_members(clusters_.size_of(cluster), options_.min_share);
  return most * of_candidate + bytes_beside(OwnHosts::most);
}

LabelCandidates::Clusters LabelCandidates::next() {
  const uint64_t free = options_.memory - std::min(options_.memory, bytes_);
  const bool has_none = own_.empty();
  const size_t begin = end();
  if (!has_none && free < part_of(options_.memory, Share::next_labels)) return {begin, begin};
  size_t last = begin;
  for (uint64_t bytes = 0; last < clusters_.groups(); ++last) {
    bytes += most_bytes(last);
    if (bytes > free && (last > begin || !has_none)) break;
  }
  own_.reserve(last - first_);
  own_.resize(last - first_);
  places_.reserve(last - first_);
  places_.resize(last - first_);
  std::vector<std::vector<uint32_t>> scratch(pool_.size());
  constexpr size_t grain = 64;
  pool_.for_chunks(last - begin, grain, [&](size_t from, size_t to, unsigned worker) {
    for (size_t cluster = begin + from; cluster < begin + to; ++cluster) {
      own_[cluster - first_] = own_hosts(*context_.hosts, clusters_[cluster], scratch[worker]);
    }
  });
  return {begin, last};
}

void LabelCandidates::pack() {
  for (std::vector<Candidate>& counted : counted_) {
    counted.shrink_to_fit();
    bytes_ += counted.size() * sizeof(Candidate);
    blocks_.push_back(std::exchange(counted, {}));
  }
  for (; packed_ < own_.size(); ++packed_) bytes_ += bytes_beside(own_[packed_].count);
}

void LabelCandidates::own_ids(size_t cluster, std::vector<IdRange>& ranges) const {
  for (const uint32_t host : own_[cluster - first_].list()) {
    ranges.push_back(context_.hosts->ids(host));
  }
}

void LabelCandidates::take(size_t cluster, std::span<const TermCount> counts, unsigned worker) {
  const size_t index = cluster - first_;
  std::vector<Candidate>& candidates = counted_[worker];
  const uint64_t begin = candidates.size();
  const uint64_t least = min_members(clusters_.size_of(cluster), options_.min_share);
  const bool has_hosts = own_[index].count > 0;
  for (const TermCount& count : counts) {
    if (count.members < least) continue;
    KITH_CHECK(count.term < context_.frequency.size());
    // What is on the own hosts is added host by host; members are no others.
    const uint32_t outside =
        has_hosts ? 0 - count.own : context_.frequency[count.term] - count.members;
    candidates.push_back({count.term, count.members, outside, count.weight});
  }
  const auto block = static_cast<uint32_t>(blocks_.size()) + worker;
  places_[index] = {block, static_cast<uint32_t>(candidates.size() - begin), begin};
}

std::span<LabelCandidates::Candidate> LabelCandidates::candidates_of(size_t index) {
  const Place& place = places_[index];
  return std::span(blocks_[place.block]).subspan(place.begin, place.count);
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
    sketch::BagBuffer buffer;
    for (size_t i = next++; i < hosts.size(); i = next++) {
      add_host(hosts[i], counters[worker].table(), buffer);
    }
  });
}

// A host as large as the collection keeps one thread busy for as long as it takes to read the bags
// once: little beside what came before.
void LabelCandidates::add_host(std::span<const HostOfCluster> host, std::span<uint32_t> table,
                               sketch::BagBuffer& buffer) {
  const IdRange ids = context_.hosts->ids(host.front().host);
  const size_t chunk = context_.bags.bags_in(1 << 20);
  for (size_t begin = ids.begin; begin < ids.end; begin += chunk) {
    const size_t end = std::min<size_t>(ids.end, begin + chunk);
    const sketch::BagBlock block = context_.bags.block(begin, end, buffer);
    for (size_t id = begin; id < end; ++id) {
      for (const sketch::BagEntry& entry : block[id]) {
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
  const sketch::BagBlock block = context_.bags.block(ids.begin, ids.end, buffer);
  for (size_t id = ids.begin; id < ids.end; ++id) {
    for (const sketch::BagEntry& entry : block[id]) table[entry.term] = 0;
  }
}

bool LabelCandidates::better(const Scored& a, const Scored& b) {
  if (a.score != b.score) return a.score > b.score;
  if (a.candidate.weight != b.candidate.weight) return a.candidate.weight > b.candidate.weight;
  return a.candidate.term < b.candidate.term;
}

void LabelCandidates::choose(const LogLikelihood& likelihood, ClusterLabels& labels) {
  constexpr size_t grain = 64;
  std::vector<std::vector<Scored>> scored(pool_.size());
  pool_.for_chunks(own_.size(), grain, [&](size_t begin, size_t end, unsigned worker) {
    for (size_t i = begin; i < end; ++i) choose_one(i, likelihood, scored[worker], labels);
  });
}

void LabelCandidates::choose_one(size_t index, const LogLikelihood& likelihood,
                                 std::vector<Scored>& scored, ClusterLabels& labels) {
  const uint64_t members = clusters_.size_of(first_ + index);
  const OwnHosts& own = own_[index];
  const uint64_t others = own.count > 0 ? own.filled - own.members : context_.documents - members;
  scored.clear();
  for (const Candidate& candidate : candidates_of(index)) {
    const bool is_rarer_inside = candidate.members * others < candidate.outside * members;
    if (is_rarer_inside) continue;
    scored.push_back(
        {candidate, likelihood.ratio(candidate.members, members, candidate.outside, others)});
  }
  const size_t count = std::min(ClusterLabels::considered, scored.size());
  std::partial_sort(scored.begin(), scored.begin() + static_cast<ptrdiff_t>(count), scored.end(),
                    better);
  std::array<uint32_t, ClusterLabels::considered> terms;
  for (size_t i = 0; i < count; ++i) terms[i] = scored[i].candidate.term;
  labels.set(first_ + index, std::span(terms).first(count));
}

}  // namespace kith::cluster
