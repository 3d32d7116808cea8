#include "similar/fingerprints/simhash_join.h"

#include <algorithm>
#include <array>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/parallel/thread_pool.h"
#include "similar/fingerprints/fingerprint_groups.h"
#include "similar/fingerprints/near_pair_search.h"
#include "sketch/lsh/permuted_tables.h"
#include "sketch/simhash.h"

namespace kith::similar {
namespace {

// Groups of this many digit values are made when the fingerprints are read. So many streams of
// writes go on at once without misses of the address cache.
constexpr uint32_t source_digit = 8;
constexpr size_t digit_values = size_t{1} << source_digit;
constexpr size_t batch_pairs = 4096;

// Those of the fingerprints whose bits under `mask` are `value`.
struct Filter {
  uint64_t mask = 0;
  uint64_t value = 0;
  bool operator()(uint64_t fingerprint) const { return (fingerprint & mask) == value; }
};

// The pairs that a worker has found, on their way to the sink.
class PairOutput {
 public:
  PairOutput(const FingerprintPlaces& places, const FingerprintPairSink& sink,
             const FingerprintGroupSink& groups)
      : places_(places), sink_(sink), groups_(groups) {}

  bool flush(std::vector<FingerprintPair>& batch) {
    for (FingerprintPair& pair : batch) {
      if (pair.a > pair.b) std::swap(pair.a, pair.b);
    }
    const std::lock_guard lock(mutex_);
    if (!error_.failed() && error_.keep(sink_(batch))) pairs_ += batch.size();
    batch.clear();
    return !error_.failed();
  }
  // A large group, by the state that its pairs have in common.
  bool give(const GroupState& state, std::span<const uint64_t> values) {
    std::vector<uint32_t> members;
    members.reserve(values.size());
    for (const uint64_t value : values) members.push_back(places_[value]);
    std::ranges::sort(members);
    return give(state, values.front(), members);
  }
  bool give(const GroupState& state, uint64_t any, std::span<const uint32_t> members) {
    const uint64_t name = mix64(mix64(state.agree) ^ (any & state.agree));
    const std::lock_guard lock(mutex_);
    if (!error_.failed()) error_.keep(groups_(name, members));
    return !error_.failed();
  }
  uint64_t weight(const SimhashJoinOptions& options, std::span<const uint64_t> values) const {
    if (!options.weight) return values.size();
    uint64_t sum = 0;
    for (const uint64_t value : values) sum += options.weight(places_[value]);
    return sum;
  }
  FingerprintPair pair(uint64_t a, uint64_t b) const {
    return {places_[a], places_[b], hamming_distance(a, b)};
  }

  bool failed() const { return error_.failed(); }
  Status status() const { return error_.status(); }
  uint64_t pairs() const { return pairs_; }

 private:
  const FingerprintPlaces& places_;
  const FingerprintPairSink& sink_;
  const FingerprintGroupSink& groups_;
  std::mutex mutex_;
  FirstError error_;
  uint64_t pairs_ = 0;  // guarded by mutex_
};

class Worker {
 public:
  Worker(const SimhashJoinOptions& options, uint32_t blocks, PairOutput& output)
      : output_(output), search_(options.distance, blocks, [this](uint64_t a, uint64_t b) {
          batch_.push_back(output_.pair(a, b));
          return batch_.size() < batch_pairs || output_.flush(batch_);
        }) {
    batch_.reserve(batch_pairs);
    if (!options.groups) return;
    search_.give_groups({.largest = largest_fingerprint_group,
                         .max_of_one = options.max_weight,
                         .weight = [&](auto values) { return output_.weight(options, values); },
                         .take = [this](const GroupState& state,
                                        auto values) { return output_.give(state, values); }});
  }
  NearPairSearch& search() { return search_; }
  void finish() {
    if (!batch_.empty()) output_.flush(batch_);
  }

 private:
  PairOutput& output_;
  std::vector<FingerprintPair> batch_;
  NearPairSearch search_;
};

// One join on its way. Sets that do not fit the memory, or would keep one thread busy while the
// others wait, exist as filters of the source; each of their groups is read from it.
class FingerprintJoin {
 public:
  FingerprintJoin(std::span<const uint64_t> source, const SimhashJoinOptions& options,
                  uint32_t blocks, ThreadPool& pool, const FingerprintPairSink& sink,
                  const JoinProgress& progress)
      : source_(source),
        options_(options),
        blocks_(blocks),
        pool_(pool),
        progress_(progress),
        places_(source, places_memory(), released()),
        output_(places_, sink, options.groups),
        capacity_(capacity()),
        values_(capacity_),
        room_(capacity_) {
    for (unsigned worker = 0; worker < pool.size(); ++worker) {
      workers_.push_back(std::make_unique<Worker>(options, blocks, output_));
    }
  }

  Status run() {
    search({}, source_.size(), {}, progress_);
    for (const auto& worker : workers_) worker->finish();
    return output_.status();
  }

  SimhashJoinStats stats() const {
    SimhashJoinStats stats{output_.pairs(), 0, moved_, scans_};
    for (const auto& worker : workers_) {
      stats.compared += worker->search().compared();
      stats.moved += worker->search().moved();
    }
    return stats;
  }

 private:
  // Of each digit value, how many fingerprints there are in each worker's share of the source.
  using Counts = std::array<uint32_t, digit_values>;

  Budget memory() const {
    const bool is_small = options_.memory.bytes() < min_simhash_memory;
    return is_small ? Budget(min_simhash_memory) : options_.memory;
  }
  // What the directory of places may take.
  uint64_t places_memory() const { return memory().bytes(Share::fingerprint_places); }
  // What has been read is released where memory is bounded.
  const Mapping* released() const {
    return options_.memory.is_limited() ? options_.mapping : nullptr;
  }

  // How many fingerprints are in memory at a time.
  size_t capacity() const {
    const size_t n = source_.size();
    if (!options_.memory.is_limited()) return n;
    const uint64_t other = FingerprintPlaces::bytes(n, places_memory()) +
                           pool_.size() * batch_pairs * sizeof(FingerprintPair);
    const uint64_t all = memory().bytes();
    const uint64_t left = std::max(memory().bytes(Share::fingerprints), all - std::min(all, other));
    return std::min<size_t>(n, left / (2 * sizeof(uint64_t)));
  }

  // Whether a set is dealt with by all threads together.
  bool is_large(size_t size) const {
    constexpr size_t least = size_t{1} << 16;
    return size > capacity_ ||
           (pool_.size() > 1 && size > least && size > source_.size() / (4 * size_t{pool_.size()}));
  }

  // Reads the worker's share of the source.
  template <class Visit>
  void scan(unsigned worker, const Visit& visit) const {
    const size_t end = source_.size() * (worker + 1) / pool_.size();
    for (size_t i = source_.size() * worker / pool_.size(); i < end;) {
      if (worker == 0) pool_.poll();
      const size_t stop = std::min(end, i + released_at_once);
      const auto piece = source_.subspan(i, stop - i);
      for (const uint64_t fingerprint : piece) visit(fingerprint);
      if (released() != nullptr) released()->release(std::as_bytes(piece));
      i = stop;
    }
  }

  uint64_t differing_bits(Filter filter) {
    std::vector<uint64_t> ones(pool_.size(), 0);
    std::vector<uint64_t> zeros(pool_.size(), 0);
    pool_.run([&](unsigned worker) {
      uint64_t one = 0;
      uint64_t zero = 0;
      scan(worker, [&](uint64_t fingerprint) {
        const uint64_t in = filter(fingerprint) ? ~uint64_t{0} : 0;
        one |= fingerprint & in;
        zero |= ~fingerprint & in;
      });
      ones[worker] = one;
      zeros[worker] = zero;
    });
    ++scans_;
    uint64_t differing = 0;
    for (const uint64_t one : ones) {
      for (const uint64_t zero : zeros) differing |= one & zero;
    }
    return differing;
  }

  std::vector<Counts> count(Filter filter, BitDigit digit) {
    std::vector<Counts> counts(pool_.size());
    pool_.run([&](unsigned worker) {
      Counts mine{};
      scan(worker,
           [&](uint64_t fingerprint) { mine[digit(fingerprint)] += filter(fingerprint) ? 1 : 0; });
      counts[worker] = mine;
    });
    ++scans_;
    return counts;
  }

  // All pairs of the filtered set that belong to the group of `state`.
  void search(Filter filter, size_t size, GroupState state, const JoinProgress& progress) {
    if (size < 2 || output_.failed()) return;
    if (options_.groups && size > largest_fingerprint_group && state.is_complete()) {
      return give_group(filter, size, state);
    }
    if (state.left == 0 && !state.cut(differing_bits(filter), blocks_, options_.distance)) {
      return search_in_memory(filter, size, state);
    }
    const double choices = static_cast<double>(state.blocks.size() - state.next - state.left + 1);
    for (double done = 0; state.can_choose() && !output_.failed(); state.skip()) {
      GroupState chosen = state;
      chosen.choose();
      group(filter, size, state.blocks[state.next], chosen);
      done += 1;
      if (progress) progress(done / choices);
    }
  }

  // A group that lies all over the source.
  void give_group(Filter filter, size_t size, const GroupState& state) {
    std::vector<uint32_t> members;
    members.reserve(size);
    for (size_t i = 0; i < source_.size() && members.size() < size; ++i) {
      if (filter(source_[i])) members.push_back(static_cast<uint32_t>(i));
    }
    ++scans_;
    output_.give(state, source_[members.front()], members);
  }

  // So few different bits that all of the set fits any memory.
  void search_in_memory(Filter filter, size_t size, const GroupState& state) {
    KITH_CHECK(size <= capacity_);
    size_t read = 0;
    for (const uint64_t fingerprint : source_) {
      values_[read] = fingerprint;
      read += filter(fingerprint) ? 1 : 0;
      if (read == size) break;
    }
    ++scans_;
    workers_[0]->search().run({values_.data(), room_.data(), size}, state);
  }

  // The groups of the filtered set by `block`. Those that fit the memory together are read
  // together.
  void group(Filter filter, size_t size, uint64_t block, const GroupState& state) {
    if (block == 0) return search(filter, size, state, nullptr);
    const BitDigit digit = top_digit(block, source_digit);
    const uint64_t rest = block & ((uint64_t{1} << digit.shift) - 1);
    const std::vector<Counts> counts = count(filter, digit);
    std::array<size_t, digit_values> sizes{};
    for (const Counts& of_worker : counts) {
      for (size_t d = 0; d < digit_values; ++d) sizes[d] += of_worker[d];
    }
    for (size_t first = 0; first < digit_values && !output_.failed();) {
      if (is_large(sizes[first])) {
        const Filter part{filter.mask | digit.mask(),
                          filter.value | uint64_t{first} << digit.shift};
        group(part, sizes[first], rest, state);
        ++first;
        continue;
      }
      size_t last = first;
      for (size_t sum = 0; last < digit_values && !is_large(sizes[last]); ++last) {
        if ((sum += sizes[last]) > capacity_) break;
      }
      group_in_memory(filter, digit, counts, {first, last}, rest, state);
      first = last;
    }
  }

  struct DigitRange {
    size_t first;
    size_t last;
  };

  void group_in_memory(Filter filter, BitDigit digit, const std::vector<Counts>& counts,
                       DigitRange range, uint64_t rest, const GroupState& state) {
    const std::array<size_t, digit_values + 1> ends = read(filter, digit, counts, range);
    pool_.for_chunks(range.last - range.first, 1, [&](size_t begin, size_t end, unsigned worker) {
      for (size_t d = range.first + begin; d < range.first + end; ++d) {
        const size_t size = ends[d + 1] - ends[d];
        if (size < 2) continue;
        const FingerprintSet set{&values_[ends[d]], &room_[ends[d]], size};
        workers_[worker]->search().run_group(set, rest, state);
      }
    });
  }

  // Reads the groups of a range of digits to memory, one after the other. Returns where that of
  // digit d begins (d) and ends (d + 1).
  std::array<size_t, digit_values + 1> read(Filter filter, BitDigit digit,
                                            const std::vector<Counts>& counts, DigitRange range) {
    std::array<size_t, digit_values + 1> ends{};
    std::vector<std::array<size_t, digit_values>> next(pool_.size());
    size_t sum = 0;
    for (size_t d = range.first; d < range.last; ++d) {
      ends[d] = sum;
      for (unsigned worker = 0; worker < pool_.size(); ++worker) {
        next[worker][d] = sum;
        sum += counts[worker][d];
      }
      ends[d + 1] = sum;
    }
    pool_.run([&](unsigned worker) {
      std::array<size_t, digit_values>& at = next[worker];
      scan(worker, [&](uint64_t fingerprint) {
        const size_t d = digit(fingerprint);
        if (d - range.first >= range.last - range.first || !filter(fingerprint)) return;
        values_[at[d]++] = fingerprint;
      });
    });
    moved_ += sum;
    ++scans_;
    return ends;
  }

  const std::span<const uint64_t> source_;
  const SimhashJoinOptions& options_;
  const uint32_t blocks_;
  ThreadPool& pool_;
  const JoinProgress& progress_;
  const FingerprintPlaces places_;
  PairOutput output_;
  const size_t capacity_;
  LargeArray<uint64_t> values_;
  LargeArray<uint64_t> room_;
  std::vector<std::unique_ptr<Worker>> workers_;
  uint64_t moved_ = 0;
  uint64_t scans_ = 0;
};

}  // namespace

Result<SimhashJoinStats> simhash_join(std::span<const uint64_t> fingerprints,
                                      const SimhashJoinOptions& options, ThreadPool& pool,
                                      const FingerprintPairSink& sink,
                                      const JoinProgress& progress) {
  const uint32_t k = options.distance;
  const uint32_t blocks =
      options.blocks > 0 ? options.blocks : sketch::choose_join_blocks(fingerprints.size(), k);
  KITH_CHECK(k <= sketch::max_distance && blocks > k && blocks <= k + 8);
  KITH_CHECK(fingerprints.size() < UINT32_MAX);
  if (fingerprints.size() < 2 || k == 0) return SimhashJoinStats{};
  FingerprintJoin join(fingerprints, options, blocks, pool, sink, progress);
  KITH_TRY(join.run());
  return join.stats();
}

}  // namespace kith::similar
