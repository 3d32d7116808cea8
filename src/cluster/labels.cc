#include "cluster/labels.h"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "base/check.h"

namespace kith::cluster {
namespace {

double n_log_n(uint64_t n) {
  const auto real = static_cast<double>(n);
  return n > 0 ? real * std::log(real) : 0;
}

// A term of a cluster's members.
struct Candidate {
  Label label;
  uint64_t weight;  // summed over the members
};

bool better(const Candidate& a, const Candidate& b) {
  if (a.label.score != b.label.score) return a.label.score > b.label.score;
  if (a.weight != b.weight) return a.weight > b.weight;
  return a.label.term < b.label.term;
}

class Labeller {
 public:
  Labeller(const BagCollection& bags, std::span<const uint32_t> frequency,
           const LabelOptions& options)
      : bags_(bags), frequency_(frequency), options_(options) {
    for (size_t id = 0; id < bags.size(); ++id) documents_ += !bags[id].empty();
  }

  // entries, candidates: working memory.
  std::vector<Label> labels(std::span<const uint32_t> members, std::vector<BagEntry>& entries,
                            std::vector<Candidate>& candidates) const {
    entries.clear();
    for (const uint32_t id : members) {
      entries.insert(entries.end(), bags_[id].begin(), bags_[id].end());
    }
    std::ranges::sort(entries, {}, &BagEntry::term);
    collect(entries, members.size(), candidates);
    const size_t most = std::min(options_.most, candidates.size());
    std::ranges::partial_sort(candidates, candidates.begin() + static_cast<ptrdiff_t>(most),
                              better);
    std::vector<Label> labels(most);
    std::transform(candidates.begin(), candidates.begin() + static_cast<ptrdiff_t>(most),
                   labels.begin(), [](const Candidate& candidate) { return candidate.label; });
    return labels;
  }

 private:
  // One candidate per run of equal terms that passes the gates.
  void collect(std::span<const BagEntry> sorted, uint64_t members,
               std::vector<Candidate>& candidates) const {
    candidates.clear();
    const double least = options_.least_share * static_cast<double>(members);
    const uint64_t others = documents_ - members;
    for (size_t begin = 0; begin < sorted.size();) {
      const uint32_t term = sorted[begin].term;
      uint64_t weight = 0;
      size_t end = begin;
      for (; end < sorted.size() && sorted[end].term == term; ++end) weight += sorted[end].weight;
      const uint64_t inside = end - begin;
      KITH_CHECK(term < frequency_.size() && inside <= frequency_[term]);
      begin = end;
      const uint64_t outside = frequency_[term] - inside;
      const bool rarer_inside = inside * others < outside * members;
      if (static_cast<double>(inside) < least || rarer_inside) continue;
      const double score = log_likelihood_ratio(inside, members, outside, others);
      const Label label{term, static_cast<float>(score), static_cast<uint32_t>(inside)};
      candidates.push_back({label, weight});
    }
  }

  const BagCollection& bags_;
  const std::span<const uint32_t> frequency_;
  const LabelOptions options_;
  uint64_t documents_ = 0;  // non-empty bags
};

}  // namespace

double log_likelihood_ratio(uint64_t inside, uint64_t members, uint64_t outside, uint64_t others) {
  const uint64_t with = inside + outside;
  const uint64_t without = members - inside + others - outside;
  const double cells =
      n_log_n(inside) + n_log_n(members - inside) + n_log_n(outside) + n_log_n(others - outside);
  const double margins = n_log_n(members) + n_log_n(others) + n_log_n(with) + n_log_n(without);
  return std::max(0.0, 2 * (cells - margins + n_log_n(members + others)));
}

std::vector<uint32_t> count_document_frequencies(const BagCollection& bags, size_t terms,
                                                 ThreadPool& pool) {
  std::vector<uint32_t> frequency(terms, 0);
  const auto entries = bags.entries();
  pool.for_chunks(entries.size(), size_t{1} << 16, [&](size_t begin, size_t end, unsigned) {
    for (const BagEntry& entry : entries.subspan(begin, end - begin)) {
      std::atomic_ref(frequency[entry.term]).fetch_add(1, std::memory_order_relaxed);
    }
  });
  return frequency;
}

ClusterLabels label_clusters(const BagCollection& bags, const ClusterLists& clusters,
                             std::span<const uint32_t> frequency, const LabelOptions& options,
                             ThreadPool& pool) {
  ClusterLabels labels(clusters.size());
  const Labeller labeller(bags, frequency, options);
  // The largest clusters come first, so they do not keep one thread busy at the end.
  pool.for_chunks(clusters.groups(), 8, [&](size_t begin, size_t end, unsigned) {
    std::vector<BagEntry> entries;
    std::vector<Candidate> candidates;
    for (size_t cluster = begin; cluster < end; ++cluster) {
      labels.set(cluster, labeller.labels(clusters[cluster], entries, candidates));
    }
  });
  return labels;
}

}  // namespace kith::cluster
