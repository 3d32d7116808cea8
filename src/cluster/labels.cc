#include "cluster/labels.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <iterator>

#include "base/check.h"

namespace kith::cluster {
namespace {

double n_log_n(uint64_t n) {
  const auto real = static_cast<double>(n);
  return n > 0 ? real * std::log(real) : 0;
}

// A term of some members of a cluster.
struct TermCount {
  uint32_t term;
  uint32_t members;  // that have it
  uint64_t weight;   // summed over them
};

// Entries to counts; sorts the entries.
void count_terms(std::vector<BagEntry>& entries, std::vector<TermCount>& counts) {
  std::ranges::sort(entries, {}, &BagEntry::term);
  counts.clear();
  for (const BagEntry& entry : entries) {
    if (counts.empty() || counts.back().term != entry.term) counts.push_back({entry.term, 0, 0});
    ++counts.back().members;
    counts.back().weight += entry.weight;
  }
}

// Both are ordered by term.
std::vector<TermCount> add(std::span<const TermCount> a, std::span<const TermCount> b) {
  std::vector<TermCount> sum;
  sum.reserve(a.size() + b.size());
  std::ranges::merge(a, b, std::back_inserter(sum), {}, &TermCount::term, &TermCount::term);
  size_t kept = 0;
  for (size_t i = 0; i < sum.size(); ++i) {
    if (kept > 0 && sum[kept - 1].term == sum[i].term) {
      sum[kept - 1].members += sum[i].members;
      sum[kept - 1].weight += sum[i].weight;
    } else {
      sum[kept++] = sum[i];
    }
  }
  sum.resize(kept);
  return sum;
}

struct Candidate {
  Label label;
  uint64_t weight;  // summed over the members
};

bool better(const Candidate& a, const Candidate& b) {
  if (a.label.score != b.label.score) return a.label.score > b.label.score;
  if (a.weight != b.weight) return a.weight > b.weight;
  return a.label.term < b.label.term;
}

// Labels clusters whose members come in one piece or in several. One for each thread.
class Labeller {
 public:
  Labeller(std::span<const uint32_t> frequency, uint64_t documents, const LabelOptions& options)
      : frequency_(frequency), documents_(documents), options_(options) {}

  // The rows [begin, end) belong to the cluster.
  std::span<const TermCount> count(const OrderedRows& rows, size_t begin, size_t end) {
    entries_.clear();
    for (size_t position = begin; position < end; ++position) {
      const Bag bag = rows[position].bag;
      entries_.insert(entries_.end(), bag.begin(), bag.end());
    }
    count_terms(entries_, counts_);
    return counts_;
  }

  // From the counts of all members of a cluster. A view until the next call.
  std::span<const Label> choose(std::span<const TermCount> counts, uint64_t members) {
    collect(counts, members);
    const size_t most = std::min(options_.most, candidates_.size());
    std::ranges::partial_sort(candidates_, candidates_.begin() + static_cast<ptrdiff_t>(most),
                              better);
    labels_.resize(most);
    std::transform(candidates_.begin(), candidates_.begin() + static_cast<ptrdiff_t>(most),
                   labels_.begin(), [](const Candidate& candidate) { return candidate.label; });
    return labels_;
  }

 private:
  // The terms that pass the gates.
  void collect(std::span<const TermCount> counts, uint64_t members) {
    candidates_.clear();
    const double least = options_.least_share * static_cast<double>(members);
    const uint64_t others = documents_ - members;
    for (const auto& [term, inside, weight] : counts) {
      KITH_CHECK(term < frequency_.size() && inside <= frequency_[term]);
      const uint64_t outside = frequency_[term] - inside;
      const bool rarer_inside = inside * others < outside * members;
      if (static_cast<double>(inside) < least || rarer_inside) continue;
      const double score = log_likelihood_ratio(inside, members, outside, others);
      candidates_.push_back({{term, static_cast<float>(score), inside}, weight});
    }
  }

  const std::span<const uint32_t> frequency_;
  const uint64_t documents_;
  const LabelOptions options_;
  std::vector<BagEntry> entries_;
  std::vector<TermCount> counts_;
  std::vector<Candidate> candidates_;
  std::vector<Label> labels_;
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
  pool.for_chunks(bags.size(), size_t{1} << 12, [&](size_t begin, size_t end, unsigned) {
    for (size_t id = begin; id < end; ++id) {
      for (const BagEntry& entry : bags[id]) {
        std::atomic_ref(frequency[entry.term]).fetch_add(1, std::memory_order_relaxed);
      }
    }
    bags.release(begin, end);
  });
  return frequency;
}

Result<ClusterLabels> label_clusters(OrderedRows& rows, const ClusterLists& clusters,
                                     std::span<const uint32_t> frequency, uint64_t documents,
                                     const LabelOptions& options, ThreadPool& pool) {
  const size_t groups = clusters.groups();
  const auto offsets = clusters.offsets();
  KITH_CHECK(rows.size() == offsets[groups]);
  ClusterLabels labels(clusters.size(), groups, options.most);
  std::vector<Labeller> labellers(pool.size(), Labeller(frequency, documents, options));
  std::vector<TermCount> begun;  // of the cluster whose first members were in earlier parts
  size_t cluster = 0;            // the first that is not finished
  for (size_t begin = 0; begin < rows.size();) {
    KITH_ASSIGN(const size_t end, rows.load(begin));
    const auto label_one = [&](size_t which, std::span<const TermCount> counts, unsigned worker) {
      labels.set(which, labellers[worker].choose(counts, clusters.size_of(which)));
    };
    if (begin > offsets[cluster]) {
      const size_t stop = std::min<size_t>(end, offsets[cluster + 1]);
      begun = add(begun, labellers[0].count(rows, begin, stop));
      begin = stop;
      if (stop == offsets[cluster + 1]) label_one(cluster++, begun, 0);
    }
    size_t whole = cluster;  // the clusters [cluster, whole) lie in this part
    while (whole < groups && offsets[whole + 1] <= end) ++whole;
    // The largest clusters come first, so they do not keep one thread busy at the end.
    pool.for_chunks(whole - cluster, 8, [&](size_t first, size_t last, unsigned worker) {
      for (size_t i = cluster + first; i < cluster + last; ++i) {
        label_one(i, labellers[worker].count(rows, offsets[i], offsets[i + 1]), worker);
      }
    });
    if (whole > cluster) begin = offsets[whole];
    cluster = whole;
    if (begin < end) {
      const auto counts = labellers[0].count(rows, begin, end);
      begun.assign(counts.begin(), counts.end());
    }
    begin = end;
  }
  return labels;
}

}  // namespace kith::cluster
