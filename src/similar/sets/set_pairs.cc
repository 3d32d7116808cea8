#include "similar/sets/set_pairs.h"

#include <algorithm>
#include <span>

#include "base/memory.h"

namespace kith::similar {

uint32_t common_of_pair(const HashSets& first, uint32_t a, const HashSets& second, uint32_t b,
                        const PairRule& rule, OverlapReader& overlap_of) {
  const uint64_t size_a = first.size_of(a);
  const uint64_t size_b = second.size_of(b);
  if (rule.verify && !rule.is_similar({size_a, size_b, std::min(size_a, size_b)})) return no_pair;
  const sketch::SetOverlap exact = overlap_of(a, b);
  return rule.verify && !rule.is_similar(exact) ? no_pair : static_cast<uint32_t>(exact.common);
}

namespace {

std::vector<KeyId> sorted_pairs(std::vector<std::vector<ShortKeyId>>& by_worker, ThreadPool& pool) {
  std::vector<KeyId> pairs;
  for (std::vector<ShortKeyId>& some : by_worker) {
    for (const ShortKeyId& pair : some) pairs.push_back({uint64_t{pair.key} << 32 | pair.id, 0});
    free_memory(some);
  }
  std::vector<KeyId> scratch(pairs.size());
  radix_sort(pairs, scratch, pool);
  return pairs;
}

}  // namespace

Status SetVerification::verify(std::vector<std::vector<ShortKeyId>>& by_worker) {
  constexpr size_t grain = 256;
  if (sinks_.candidates) {
    for (const std::vector<ShortKeyId>& some : by_worker) sinks_.candidates(some);
  }
  std::vector<KeyId> pairs = sorted_pairs(by_worker, pool_);
  verified_ += pairs.size();
  pool_.for_chunks(pairs.size(), grain, [&](size_t begin, size_t end, unsigned) {
    OverlapReader overlap_of(first_, second_);
    for (size_t i = begin; i < end; ++i) {
      const auto a = static_cast<uint32_t>(pairs[i].key >> 32);
      const uint32_t b = static_cast<uint32_t>(pairs[i].key) - offset_;
      pairs[i].id = common_of_pair(first_, a, second_, b, rule_, overlap_of);
    }
  });
  std::vector<SetPair> found;
  for (const KeyId& pair : pairs) {
    if (pair.id == no_pair) continue;
    const auto a = static_cast<uint32_t>(pair.key >> 32);
    const uint32_t b = static_cast<uint32_t>(pair.key) - offset_;
    found.push_back({a, b, pair.id});
    similar_ += rule_.is_similar({first_.size_of(a), second_.size_of(b), pair.id}) ? 1 : 0;
  }
  return sinks_.pairs ? sinks_.pairs(found) : Status::ok();
}

Status CandidateBuffer::run(size_t tasks,
                            const std::function<void(size_t task, unsigned worker)>& task) {
  done_.assign(tasks, 0);
  for (bool all = false; !all;) {
    pool_.for_chunks(tasks, 1, [&](size_t number, size_t, unsigned worker) {
      if (done_[number] != 0 || held_ >= most_) return;
      const size_t before = candidates_[worker].size();
      task(number, worker);
      held_ += candidates_[worker].size() - before;
      done_[number] = 1;
    });
    all = std::ranges::all_of(done_, [](uint8_t done) { return done != 0; });
    if (held_ >= most_) KITH_TRY(flush());
  }
  return Status::ok();
}

Status CandidateBuffer::flush() {
  held_ = 0;
  Status status = verification_.verify(candidates_);
  candidates_.assign(pool_.size(), {});
  return status;
}

}  // namespace kith::similar
