#include <algorithm>
#include <atomic>
#include <iterator>

#include "base/check.h"
#include "cluster/label_candidates.h"

namespace kith::cluster {
namespace {

// Both are ordered by term.
std::vector<TermCount> add(std::span<const TermCount> a, std::span<const TermCount> b) {
  std::vector<TermCount> sum;
  sum.reserve(a.size() + b.size());
  std::ranges::merge(a, b, std::back_inserter(sum), {}, &TermCount::term, &TermCount::term);
  size_t kept = 0;
  for (size_t i = 0; i < sum.size(); ++i) {
    if (kept > 0 && sum[kept - 1].term == sum[i].term) {
      sum[kept - 1].members += sum[i].members;
      sum[kept - 1].own += sum[i].own;
      sum[kept - 1].weight += sum[i].weight;
    } else {
      sum[kept++] = sum[i];
    }
  }
  sum.resize(kept);
  return sum;
}

bool lies_in(std::span<const IdRange> ranges, uint32_t id) {
  return std::ranges::any_of(ranges, [id](IdRange ids) { return ids.begin <= id && id < ids.end; });
}

// Clusters come in one piece, or in several where the rows are in memory in parts.
class Pass {
 public:
  Pass(OrderedRows& rows, const ClusterLists& clusters, std::span<TermCounter> counters,
       CountVisitor& visitor, ThreadPool& pool)
      : rows_(rows),
        offsets_(clusters.offsets()),
        counters_(counters),
        visitor_(visitor),
        pool_(pool) {}

  Status run(size_t first, size_t last) {
    size_t cluster = first;  // the first that is not finished
    for (size_t begin = offsets_[first]; cluster < last;) {
      KITH_ASSIGN(const size_t end, rows_.load(begin));
      if (begin > offsets_[cluster]) {
        const size_t stop = std::min<size_t>(end, offsets_[cluster + 1]);
        begun_ = add(begun_, count_part(cluster, begin, stop));
        if (stop == offsets_[cluster + 1]) take_begun(cluster++);
        begin = stop;
        continue;
      }
      size_t whole = cluster;  // the clusters [cluster, whole) lie in this part
      while (whole < last && offsets_[whole + 1] <= end) ++whole;
      take_whole(cluster, whole);
      cluster = whole;
      if (cluster == last) break;
      const auto counts = count_part(cluster, offsets_[cluster], end);
      begun_.assign(counts.begin(), counts.end());
      begin = end;
    }
    return Status::ok();
  }

 private:
  std::span<const TermCount> count_part(size_t cluster, size_t begin, size_t end) {
    if (!visitor_.wants(cluster)) return {};
    return counters_[0].count_by_term(rows_, begin, end, own_ids(cluster));
  }

  void take_begun(size_t cluster) {
    if (visitor_.wants(cluster)) visitor_.take(cluster, begun_, 0);
  }

  void take_whole(size_t first, size_t last) {
    // The largest clusters come first, so they do not keep one thread busy at the end.
    std::atomic<size_t> next = first;
    pool_.run([&](unsigned worker) {
      if (worker >= counters_.size()) return;
      for (size_t i = next++; i < last; i = next++) {
        if (!visitor_.wants(i)) continue;
        const auto own = own_ids(i);
        visitor_.take(i, counters_[worker].count(rows_, offsets_[i], offsets_[i + 1], own), worker);
      }
    });
  }

  std::vector<IdRange> own_ids(size_t cluster) const {
    std::vector<IdRange> own;
    visitor_.own_ids(cluster, own);
    return own;
  }

  OrderedRows& rows_;
  const std::span<const uint64_t> offsets_;
  const std::span<TermCounter> counters_;
  CountVisitor& visitor_;
  ThreadPool& pool_;
  std::vector<TermCount> begun_;  // of the cluster whose first members were in earlier parts
};

}  // namespace

std::span<const TermCount> TermCounter::count(const OrderedRows& rows, size_t begin, size_t end,
                                              std::span<const IdRange> own) {
  constexpr size_t ahead = 8;
  counts_.clear();
  for (size_t position = begin; position < end; ++position) {
    rows.prefetch_bag(position + ahead);
    const Row row = rows[position];
    const uint32_t is_own = lies_in(own, row.id) ? 1 : 0;
    for (const sketch::BagEntry& entry : row.bag) {
      KITH_CHECK(entry.term < table_.size());
      __builtin_prefetch(&table_[entry.term]);
    }
    for (const sketch::BagEntry& entry : row.bag) {
      uint32_t& place = table_[entry.term];
      if (place == 0) {
        counts_.push_back({entry.term, 0, 0, 0});
        place = static_cast<uint32_t>(counts_.size());
      }
      TermCount& count = counts_[place - 1];
      ++count.members;
      count.own += is_own;
      count.weight += entry.weight;
    }
  }
  for (const TermCount& count : counts_) table_[count.term] = 0;
  return counts_;
}

std::span<const TermCount> TermCounter::count_by_term(const OrderedRows& rows, size_t begin,
                                                      size_t end, std::span<const IdRange> own) {
  count(rows, begin, end, own);
  std::ranges::sort(counts_, {}, &TermCount::term);
  return counts_;
}

Status count_clusters(OrderedRows& rows, const ClusterLists& clusters, size_t first, size_t last,
                      std::span<TermCounter> counters, CountVisitor& visitor, ThreadPool& pool) {
  return Pass(rows, clusters, counters, visitor, pool).run(first, last);
}

}  // namespace kith::cluster
