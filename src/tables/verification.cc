#include "tables/verification.h"

#include <algorithm>
#include <atomic>

#include "base/free_memory.h"
#include "base/large_array.h"
#include "base/prefetch.h"

namespace kith::pairs::internal {
namespace {

constexpr size_t pairs_per_chunk = 4096;

// Calls visit(begin, end, worker) for each run of equal keys; a chunk has the runs that begin in
// it, and so each run one worker.
template <class Entry, class Visit>
void for_each_run(std::span<const Entry> sorted, ThreadPool& pool, const Visit& visit) {
  pool.for_chunks(sorted.size(), pairs_per_chunk, [&](size_t first, size_t last, unsigned worker) {
    const auto run_end = [&](size_t begin) {
      size_t end = begin;
      while (end < sorted.size() && sorted[end].key == sorted[begin].key) ++end;
      return end;
    };
    size_t begin = first;
    if (begin > 0 && sorted[begin - 1].key == sorted[begin].key) begin = run_end(begin);
    while (begin < last) {
      const size_t end = run_end(begin);
      visit(begin, end, worker);
      begin = end;
    }
  });
}

LargeArray<ShortKeyId> gather(std::vector<std::vector<ShortKeyId>>& by_worker) {
  size_t count = 0;
  for (const auto& part : by_worker) count += part.size();
  LargeArray<ShortKeyId> all(count);
  ShortKeyId* next = all.data();
  for (auto& part : by_worker) {
    next = std::copy(part.begin(), part.end(), next);
    free_memory(part);
  }
  return all;
}

}  // namespace

Verification::Verification(const BagCollection& bags, const DuplicateGroups& groups,
                           const Classes& classes, uint32_t min_sum, uint64_t term_limit,
                           ThreadPool& pool)
    : bags_(bags),
      groups_(groups),
      classes_(classes),
      min_sum_(min_sum),
      term_limit_(term_limit),
      pool_(pool),
      weights_(pool.size()) {}

Status Verification::verify(std::vector<std::vector<ShortKeyId>>& by_worker, const Answers& answers,
                            const std::function<Status(std::span<const Pair>)>& similar) {
  LargeArray<ShortKeySum> sums;
  {
    LargeArray<ShortKeyId> candidates = gather(by_worker);
    if (candidates.size() == 0) return Status::ok();
    {
      LargeArray<ShortKeyId> scratch(candidates.size());
      radix_sort(candidates.span(), scratch.span(), pool_);
    }
    sums = LargeArray<ShortKeySum>(candidates.size());
    const std::span<const ShortKeyId> sorted = candidates.span();
    for_each_run(sorted, pool_, [&](size_t begin, size_t end, unsigned worker) {
      sum_run(sorted.subspan(begin, end - begin), sums.span().subspan(begin, end - begin),
              weights_[worker]);
    });
  }
  verified_ += sums.size();
  keep(sums.span(), answers);
  if (similar) KITH_TRY(give(sums.span(), similar));
  for (ShortKeySum& sum : sums.span()) std::swap(sum.key, sum.id);
  {
    LargeArray<ShortKeySum> scratch(sums.size());
    radix_sort(sums.span(), scratch.span(), pool_);
  }
  keep(sums.span(), answers);
  return Status::ok();
}

void Verification::sum_run(std::span<const ShortKeyId> run, std::span<ShortKeySum> sums,
                           QueryWeights& weights) const {
  constexpr size_t ahead = 4;
  const auto fetch = [&](size_t i) {
    if (i < run.size()) prefetch(bags_[run[i].id]);
  };
  for (size_t i = 0; i < ahead; ++i) fetch(i);
  // A table of the bag's weights pays from a few comparisons on.
  weights.set(bags_[run.front().key], run.size() < 3 ? UINT64_MAX : term_limit_);
  for (size_t i = 0; i < run.size(); ++i) {
    fetch(i + ahead);
    sums[i] = {run[i].key, run[i].id, weights.sum_with(bags_[run[i].id])};
  }
  weights.clear();
}

void Verification::keep(std::span<const ShortKeySum> sorted, const Answers& answers) {
  std::atomic<uint64_t> similar = 0;
  for_each_run(sorted, pool_, [&](size_t begin, size_t end, unsigned) {
    const uint32_t id = sorted[begin].key;
    TopLists& lists = answers.of(id);
    uint32_t degree = 0;
    uint64_t pairs = 0;
    for (const ShortKeySum& found : sorted.subspan(begin, end - begin)) {
      if (found.sum == 0) continue;
      lists.offer(id, {found.id, found.sum});
      if (!is_similar(found.sum) || !classes_.share(id, found.id)) continue;
      degree += groups_.multiplicity[found.id];
      ++pairs;
    }
    if (answers.sites != nullptr) keep_elsewhere(sorted.subspan(begin, end - begin), answers);
    if (pairs == 0) return;
    answers.degree[id] += degree;
    similar += pairs;
  });
  similar_ends_ += similar;
}

void Verification::keep_elsewhere(std::span<const ShortKeySum> of_id, const Answers& answers) {
  const uint32_t id = of_id.front().key;
  const IdRange site = answers.sites->site_of(id);
  TopLists& lists = answers.elsewhere(id);
  for (const ShortKeySum& found : of_id) {
    const uint32_t other = answers.sites->first_outside(found.id, site);
    if (found.sum > 0 && other != no_id) lists.offer(id, {other, found.sum});
  }
}

Status Verification::give(std::span<const ShortKeySum> sums,
                          const std::function<Status(std::span<const Pair>)>& similar) const {
  std::vector<Pair> pairs;
  for (const ShortKeySum& found : sums) {
    if (is_similar(found.sum)) pairs.push_back({found.key, found.id, found.sum});
  }
  for (size_t begin = 0, end = 0; begin < pairs.size(); begin = end) {
    while (end < pairs.size() && pairs[end].a == pairs[begin].a) ++end;
    std::sort(pairs.begin() + static_cast<ptrdiff_t>(begin),
              pairs.begin() + static_cast<ptrdiff_t>(end));
  }
  return similar(pairs);
}

}  // namespace kith::pairs::internal
