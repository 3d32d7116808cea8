#include <algorithm>
#include <atomic>
#include <vector>

#include "base/check.h"
#include "base/hash.h"
#include "base/parallel/thread_pool.h"
#include "similar/sets/set_join.h"
#include "similar/sets/set_pairs.h"
#include "sketch/set_sketches.h"
#include "storage/external_sort.h"

namespace kith::similar {
namespace {

constexpr uint64_t default_memory = uint64_t{256} << 20;

// Sets to compare: row i with the rows [from, to) behind it.
struct Rows {
  struct Range {
    uint32_t from;
    uint32_t to;
  };
  std::vector<uint32_t> ids;
  std::vector<Range> ranges;

  void clear() {
    ids.clear();
    ranges.clear();
  }
  // Sets that are compared with each other.
  void add(std::span<const uint32_t> run) {
    const auto end = static_cast<uint32_t>(ids.size() + run.size());
    for (const uint32_t id : run) {
      ids.push_back(id);
      ranges.push_back({static_cast<uint32_t>(ids.size()), end});
    }
  }
  // Sets of which each on the left is compared with each on the right.
  void add(std::span<const uint32_t> left, std::span<const uint32_t> right) {
    const auto from = static_cast<uint32_t>(ids.size() + left.size());
    const auto to = static_cast<uint32_t>(from + right.size());
    ids.insert(ids.end(), left.begin(), left.end());
    ids.insert(ids.end(), right.begin(), right.end());
    ranges.insert(ranges.end(), left.size(), {from, to});
    ranges.insert(ranges.end(), right.size(), {to, to});
  }
};

class SuperShingleJoin {
 public:
  SuperShingleJoin(storage::FileSystem& fs, const HashSets& sets, std::span<const uint32_t> ids,
                   const sketch::Signatures& signatures, const SuperShingleJoinOptions& options,
                   ThreadPool& pool, const SetJoinSinks& sinks)
      : fs_(fs),
        ids_(ids),
        signatures_(signatures),
        options_(options),
        memory_(options.memory.or_else(default_memory)),
        max_rows_(std::clamp<size_t>(memory_.bytes(Share::super_rows) / (8 * options.groups + 16),
                                     1 << 8, 1 << 16)),
        max_touched_(options.memory.bytes(Share::super_pages)),
        pool_(pool),
        whole_part_(sinks.whole_part),
        buffer_(sets, options.rule, sinks, memory_, pool) {}

  // The pairs that share super-shingle `group` and none before it.
  Status join(uint32_t group) {
    KITH_TRY(for_each_run(group, [&](uint64_t key, std::span<const uint32_t> run) {
      const bool whole = whole_part_ && run.size() > options_.largest_run;
      return whole ? give_whole(group, key, run) : add(run, group);
    }));
    return compare(group);
  }

  Result<SuperShingleJoinStats> finish() {
    KITH_TRY(buffer_.flush());
    return SuperShingleJoinStats{collisions_, buffer_.candidates(), buffer_.similar(), whole_};
  }

 private:
  // Calls visit(key, run) for all runs of at least two sets that share super-shingle `group`.
  template <class Visit>
  Status for_each_run(uint32_t group, const Visit& visit) {
    KITH_ASSIGN(storage::SortedRecords sorted, sorted_keys(group));
    std::vector<uint32_t> run;
    uint64_t key = 0;
    for (;;) {
      KITH_ASSIGN(const std::span<const KeyId> records, sorted.next());
      if (records.empty()) break;
      for (const KeyId& record : records) {
        if (record.key != key) {
          if (run.size() >= 2) KITH_TRY(visit(key, run));
          run.clear();
        }
        key = record.key;
        run.push_back(record.id);
      }
    }
    return run.size() >= 2 ? visit(key, run) : Status::ok();
  }

  Status give_whole(uint32_t group, uint64_t key, std::span<const uint32_t> run) {
    whole_ += {.buckets = 1, .members = run.size(), .largest = run.size()};
    return whole_part_(mix64(key + group), run);
  }

  Result<storage::SortedRecords> sorted_keys(uint32_t group) {
    constexpr size_t grain = 1 << 12;
    storage::ExternalSort sort(fs_, pool_,
                               {.scratch = options_.scratch,
                                .memory = memory_.bytes(Share::super_keys),
                                .writers = pool_.size()});
    const auto append = [&](size_t begin, size_t end, unsigned worker) -> Status {
      uint64_t key = 0;
      for (size_t i = begin; i < end; ++i) {
        sketch::super_shingles(signatures_[ids_[i]], options_.minima, group, {&key, 1});
        KITH_TRY(sort.append({key, ids_[i]}, worker));
      }
      signatures_.release(ids_[begin], size_t{ids_[end - 1]} + 1);
      return Status::ok();
    };
    KITH_TRY(pool_.try_chunks(ids_.size(), grain, append));
    return sort.finish();
  }

  // Sets of one key; what is too large to be held at once is compared part by part.
  Status add(std::span<const uint32_t> run, uint32_t group) {
    collisions_ += uint64_t{run.size()} * (run.size() - 1) / 2;
    if (rows_.ids.size() + run.size() > max_rows_) KITH_TRY(compare(group));
    if (run.size() <= max_rows_) {
      rows_.add(run);
      return Status::ok();
    }
    const size_t half = max_rows_ / 2;
    const auto part = [&](size_t first) {
      return run.subspan(first, std::min(half, run.size() - first));
    };
    for (size_t i = 0; i < run.size(); i += half) {
      rows_.add(part(i));
      KITH_TRY(compare(group));
      for (size_t j = i + half; j < run.size(); j += half) {
        rows_.add(part(i), part(j));
        KITH_TRY(compare(group));
      }
    }
    return Status::ok();
  }

  Status compare(uint32_t group) {
    constexpr size_t rows_per_task = 64;
    const size_t rows = rows_.ids.size();
    read_keys();
    const size_t tasks = (rows + rows_per_task - 1) / rows_per_task;
    Status status = buffer_.run(tasks, [&](size_t task, unsigned worker) {
      for (size_t i = task * rows_per_task; i < std::min(rows, (task + 1) * rows_per_task); ++i) {
        for (size_t j = rows_.ranges[i].from; j < rows_.ranges[i].to; ++j) {
          if (is_candidate(i, j, group)) buffer_.add(rows_.ids[i], rows_.ids[j], worker);
        }
      }
    });
    rows_.clear();
    return status;
  }

  // All super-shingles of the rows, side by side.
  void read_keys() {
    constexpr size_t grain = 64;
    constexpr uint64_t around = 256u << 10;  // that the kernel maps with a row
    keys_.resize(rows_.ids.size() * options_.groups);
    pool_.for_chunks(rows_.ids.size(), grain, [&](size_t begin, size_t end, unsigned) {
      for (size_t row = begin; row < end; ++row) {
        sketch::super_shingles(signatures_[rows_.ids[row]], options_.minima, 0,
                               std::span(keys_).subspan(row * options_.groups, options_.groups));
      }
      const uint64_t bytes = (end - begin) * around;
      if (touched_.fetch_add(bytes) + bytes < max_touched_) return;
      touched_ = 0;
      signatures_.release(0, signatures_.size());
    });
  }

  // A pair is taken where it meets for the first time.
  bool is_candidate(size_t i, size_t j, uint32_t group) const {
    const uint64_t* const a = keys_.data() + i * options_.groups;
    const uint64_t* const b = keys_.data() + j * options_.groups;
    for (uint32_t before = 0; before < group; ++before) {
      if (a[before] == b[before]) return false;
    }
    uint32_t shared = 0;
    for (uint32_t at = group; at < options_.groups; ++at) shared += a[at] == b[at] ? 1 : 0;
    return shared >= options_.least;
  }

  storage::FileSystem& fs_;
  const std::span<const uint32_t> ids_;
  const sketch::Signatures& signatures_;
  const SuperShingleJoinOptions& options_;
  const Budget memory_;
  const size_t max_rows_;
  const uint64_t max_touched_;
  ThreadPool& pool_;
  const decltype(SetJoinSinks::whole_part) whole_part_;
  CandidateBuffer buffer_;
  Rows rows_;
  std::vector<uint64_t> keys_;
  std::atomic<uint64_t> touched_ = 0;  // bytes of signatures that may be resident
  uint64_t collisions_ = 0;
  SplitStats whole_;
};

}  // namespace

Result<SuperShingleJoinStats> super_shingle_join(
    storage::FileSystem& fs, const HashSets& sets, std::span<const uint32_t> ids,
    const sketch::Signatures& signatures, const SuperShingleJoinOptions& options, ThreadPool& pool,
    const SetJoinSinks& sinks, const std::function<void(double share)>& progress) {
  KITH_CHECK(options.minima > 0 && options.least > 0 && options.least <= options.groups);
  if (ids.empty()) return SuperShingleJoinStats();
  KITH_CHECK(signatures.size() == sets.size() &&
             options.minima * options.groups <= signatures.lanes());
  SuperShingleJoin join(fs, sets, ids, signatures, options, pool, sinks);
  for (uint32_t group = 0; group < options.groups; ++group) {
    KITH_TRY(join.join(group));
    if (progress) progress((group + 1.0) / options.groups);
  }
  return join.finish();
}

}  // namespace kith::similar
