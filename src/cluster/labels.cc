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

// The same, looked up where n is small: as most counts are.
class EntropyTable {
 public:
  EntropyTable() : values_(size) {
    for (uint64_t n = 0; n < size; ++n) values_[n] = n_log_n(n);
  }
  double operator()(uint64_t n) const { return n < size ? values_[n] : n_log_n(n); }

 private:
  static constexpr size_t size = 1 << 14;  // 128 KiB
  std::vector<double> values_;
};

// f: n_log_n(), or as good.
template <class F>
double log_likelihood_ratio_by(const F& f, uint64_t inside, uint64_t members, uint64_t outside,
                               uint64_t others) {
  const uint64_t with = inside + outside;
  const uint64_t without = members - inside + others - outside;
  const double cells = f(inside) + f(members - inside) + f(outside) + f(others - outside);
  const double margins = f(members) + f(others) + f(with) + f(without);
  return std::max(0.0, 2 * (cells - margins + f(members + others)));
}

// A term of some members of a cluster.
struct TermCount {
  uint32_t term;
  uint32_t members;  // that have it
  uint64_t weight;   // summed over them
};

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
class alignas(worker_alignment) Labeller {
 public:
  Labeller(std::span<const uint32_t> frequency, uint64_t documents, const LabelOptions& options)
      : frequency_(frequency),
        documents_(documents),
        options_(options),
        place_(frequency.size(), nowhere) {}

  // The rows [begin, end) belong to the cluster. Each term once, in any order; a view until the
  // next call.
  std::span<TermCount> count(const OrderedRows& rows, size_t begin, size_t end) {
    constexpr size_t ahead = 8;
    counts_.clear();
    for (size_t position = begin; position < end; ++position) {
      if (position + ahead < rows.size()) rows.prefetch_bag(position + ahead);
      const Bag bag = rows[position].bag;
      for (const BagEntry& entry : bag) {
        KITH_CHECK(entry.term < place_.size());
        __builtin_prefetch(&place_[entry.term]);
      }
      for (const BagEntry& entry : bag) {
        uint32_t& place = place_[entry.term];
        if (place == nowhere) {
          place = static_cast<uint32_t>(counts_.size());
          counts_.push_back({entry.term, 0, 0});
        }
        ++counts_[place].members;
        counts_[place].weight += entry.weight;
      }
    }
    for (const TermCount& count : counts_) place_[count.term] = nowhere;
    return counts_;
  }
  std::span<TermCount> count_by_term(const OrderedRows& rows, size_t begin, size_t end) {
    count(rows, begin, end);
    std::ranges::sort(counts_, {}, &TermCount::term);
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
    const double least = options_.min_share * static_cast<double>(members);
    const uint64_t others = documents_ - members;
    for (const auto& [term, inside, weight] : counts) {
      KITH_CHECK(term < frequency_.size() && inside <= frequency_[term]);
      const uint64_t outside = frequency_[term] - inside;
      const bool rarer_inside = inside * others < outside * members;
      if (static_cast<double>(inside) < least || rarer_inside) continue;
      const double score = log_likelihood_ratio_by(n_log_n_, inside, members, outside, others);
      candidates_.push_back({{term, static_cast<float>(score), inside}, weight});
    }
  }

  const std::span<const uint32_t> frequency_;
  const uint64_t documents_;
  const LabelOptions options_;
  static constexpr uint32_t nowhere = UINT32_MAX;
  const EntropyTable n_log_n_;
  std::vector<uint32_t> place_;  // by term: in counts_, while it is made
  std::vector<TermCount> counts_;
  std::vector<Candidate> candidates_;
  std::vector<Label> labels_;
};

}  // namespace

double log_likelihood_ratio(uint64_t inside, uint64_t members, uint64_t outside, uint64_t others) {
  return log_likelihood_ratio_by(n_log_n, inside, members, outside, others);
}

std::vector<uint32_t> count_document_frequencies(const BagCollection& bags, size_t terms,
                                                 ThreadPool& pool) {
  std::vector<uint32_t> frequency(terms, 0);
  const auto add = [&](uint32_t term, uint32_t count) {
    std::atomic_ref(frequency[term]).fetch_add(count, std::memory_order_relaxed);
  };
  // The first terms of a dictionary are the most frequent: each thread counts those alone, in its
  // second-level cache.
  const size_t frequent = std::min(terms, size_t{1} << 15);
  std::vector<std::vector<uint32_t>> counts(pool.size(), std::vector<uint32_t>(frequent, 0));
  std::vector<BagBuffer> buffers(pool.size());
  const size_t chunk = bags.bags_in(1 << 20);
  pool.for_chunks(bags.size(), chunk, [&](size_t begin, size_t end, unsigned worker) {
    const BagBlock block = bags.block(begin, end, buffers[worker]);
    for (size_t id = begin; id < end; ++id) {
      for (const BagEntry& entry : block[id]) {
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
                                     std::span<const uint32_t> frequency, uint64_t documents,
                                     const LabelOptions& options, ThreadPool& pool) {
  const size_t groups = clusters.groups();
  const auto offsets = clusters.offsets();
  KITH_CHECK(rows.size() == offsets[groups]);
  ClusterLabels labels(clusters.size(), groups, options.most);
  const unsigned threads = std::min(pool.size(), options.threads);
  std::vector<Labeller> labellers(threads, Labeller(frequency, documents, options));
  std::vector<TermCount> begun;  // of the cluster whose first members were in earlier parts
  size_t cluster = 0;            // the first that is not finished
  for (size_t begin = 0; begin < rows.size();) {
    KITH_ASSIGN(const size_t end, rows.load(begin));
    const auto label_one = [&](size_t which, std::span<const TermCount> counts, unsigned worker) {
      labels.set(which, labellers[worker].choose(counts, clusters.size_of(which)));
    };
    if (begin > offsets[cluster]) {
      const size_t stop = std::min<size_t>(end, offsets[cluster + 1]);
      begun = add(begun, labellers[0].count_by_term(rows, begin, stop));
      begin = stop;
      if (stop == offsets[cluster + 1]) label_one(cluster++, begun, 0);
    }
    size_t whole = cluster;  // the clusters [cluster, whole) lie in this part
    while (whole < groups && offsets[whole + 1] <= end) ++whole;
    // The largest clusters come first, so they do not keep one thread busy at the end.
    std::atomic<size_t> next = cluster;
    pool.run([&](unsigned worker) {
      if (worker >= threads) return;
      for (size_t i = next++; i < whole; i = next++) {
        label_one(i, labellers[worker].count(rows, offsets[i], offsets[i + 1]), worker);
      }
    });
    if (whole > cluster) begin = offsets[whole];
    cluster = whole;
    if (begin < end) {
      const auto counts = labellers[0].count_by_term(rows, begin, end);
      begun.assign(counts.begin(), counts.end());
    }
    begin = end;
  }
  return labels;
}

}  // namespace kith::cluster
