#include <algorithm>
#include <atomic>
#include <bit>
#include <map>
#include <memory>

#include "similar/sets/set_join.h"
#include "similar/sets/set_pairs.h"
#include "sketch/lsh/duplicate_tables.h"

namespace kith::similar {

// A posting, its copy while they are sorted, up to two cells, and its share of the filter.
uint64_t SampleIndex::bytes_of(uint64_t samples, uint64_t looked_up) {
  constexpr uint64_t posting = 2 * sizeof(KeyId) + 2 * sizeof(uint64_t) + (2u << filter_bits) / 8;
  constexpr uint64_t set = 2 * sizeof(uint32_t) + sizeof(uint64_t);
  return set + samples * sizeof(uint64_t) + looked_up * posting;
}

void SampleIndex::add(uint32_t id, std::span<const uint64_t> samples,
                      std::span<const uint64_t> looked_up, uint32_t min_common) {
  const auto number = static_cast<uint32_t>(ids_.size());
  ids_.push_back(id);
  min_common_.push_back(min_common);
  samples_.insert(samples_.end(), samples.begin(), samples.end());
  starts_.push_back(samples_.size());
  for (const uint64_t element : looked_up) postings_.push_back({element, number});
}

void SampleIndex::freeze(ThreadPool& pool) {
  {
    std::vector<KeyId> scratch(postings_.size());
    radix_sort(postings_, scratch, pool);
  }
  directory_bits_ = std::max<uint32_t>(1, static_cast<uint32_t>(std::bit_width(postings_.size())));
  const size_t cells = size_t{1} << directory_bits_;
  cells_.assign(cells + 1, 0);
  filter_.assign((cells << filter_bits) / 64 + 1, 0);
  for (const KeyId& posting : postings_) {
    ++cells_[(posting.key >> (64 - directory_bits_)) + 1];
    const uint64_t bit = posting.key >> (64 - directory_bits_ - filter_bits);
    filter_[bit / 64] |= uint64_t{1} << bit % 64;
  }
  for (size_t cell = 0; cell < cells; ++cell) cells_[cell + 1] += cells_[cell];
}

namespace {

// In how many sets an element is, about: elements share counters, so that it is too high for some.
class ElementCounts {
 public:
  // Of so many elements in all.
  explicit ElementCounts(uint64_t elements) : bits_(bits(elements)) {
    counts_ = std::make_unique<std::atomic<uint32_t>[]>(size_t{1} << bits_);
  }

  static uint64_t bytes(uint64_t elements) { return sizeof(uint32_t) << bits(elements); }

  // Thread-safe.
  void add(uint64_t element) { counts_[cell(element)].fetch_add(1, std::memory_order_relaxed); }
  uint32_t operator[](uint64_t element) const {
    return counts_[cell(element)].load(std::memory_order_relaxed);
  }

 private:
  static constexpr int min_bits = 10;
  static constexpr int max_bits = 21;  // 8 MiB
  static uint32_t bits(uint64_t elements) {
    const uint64_t wanted = std::bit_ceil(elements / 64 + 1);
    return static_cast<uint32_t>(
        std::clamp(static_cast<int>(std::bit_width(wanted)) - 1, min_bits, max_bits));
  }
  size_t cell(uint64_t element) const { return element >> (64 - bits_); }

  uint32_t bits_;
  std::unique_ptr<std::atomic<uint32_t>[]> counts_;
};

// What is looked at of a set.
struct Sampled {
  std::vector<uint64_t> samples;
  std::vector<uint64_t> looked_up;
  uint32_t level = 0;
  uint32_t min_common = 0;
};

class ContainmentJoin {
 public:
  ContainmentJoin(const HashSets& sets, std::span<const uint32_t> ids,
                  const ContainmentJoinOptions& options, ThreadPool& pool,
                  const SetJoinSinks& sinks)
      : sets_(sets),
        ids_(ids),
        memory_(options.memory.without(Share::element_counts,
                                       std::min(options.memory.bytes(Share::element_counts),
                                                ElementCounts::bytes(sets.elements())))),
        pool_(pool),
        sampling_(options.similarity, options.recall),
        counts_(sets.elements()),
        buffer_(sets, {.similarity = options.similarity, .measure = SetMeasure::containment}, sinks,
                memory_, pool) {}

  Result<ContainmentJoinStats> run(const std::function<void(double share)>& progress) {
    count_elements();
    for (size_t done = 0; done < ids_.size();) {
      const SampleIndex index = next_block(done);
      KITH_TRY(look_through(index));
      ++stats_.blocks;
      if (progress) progress(static_cast<double>(done) / static_cast<double>(ids_.size()));
    }
    KITH_TRY(buffer_.flush());
    stats_.met = met_;
    stats_.candidates = buffer_.candidates();
    stats_.similar = buffer_.similar();
    for (const auto& [min_elements, counted] : classes_) stats_.classes.push_back(counted);
    return std::move(stats_);
  }

 private:
  static constexpr size_t sets_per_task = 64;

  void count_elements() {
    pool_.for_chunks(ids_.size(), sets_per_task, [&](size_t begin, size_t end, unsigned) {
      SetBuffer buffer;
      for (size_t i = begin; i < end; ++i) {
        sets_.for_parts(ids_[i], buffer, [&](sketch::HashSet part) {
          for (const uint64_t element : part) counts_.add(element);
        });
      }
    });
  }

  // Of n samples a set that contains this one has t: so one of any n - t + 1 at least. Those that
  // the fewest sets have are looked up (prefix filter: Chaudhuri, Ganti, Kaushik 2006).
  void sample(sketch::HashSet set, Sampled& made) const {
    made.level = sampling_.level(set.size());
    sketch::ContainmentSamples::sample(set, made.level, made.samples);
    made.looked_up.clear();
    if (made.samples.empty()) return;
    const auto n = static_cast<uint32_t>(made.samples.size());
    made.min_common = sampling_.min_common(n, made.level);
    made.looked_up = made.samples;
    const auto end = made.looked_up.begin() + (n - made.min_common + 1);
    std::ranges::partial_sort(made.looked_up, end, {}, [&](uint64_t element) {
      return std::pair(counts_[element], element);
    });
    made.looked_up.erase(end, made.looked_up.end());
  }

  // The samples of as many sets from number `done` on as there is memory for, a batch at least;
  // moves `done` behind them.
  SampleIndex next_block(size_t& done) {
    // So that a batch stays below some megabytes whatever the number of samples is.
    const size_t batch = std::max<size_t>(1, (size_t{1} << 16) / sampling_.min_samples());
    // Lists that have just grown take twice as much.
    const uint64_t most = memory_.bytes(Share::sample_index);
    SampleIndex index;
    std::vector<Sampled> sampled(batch);
    uint64_t bytes = 0;
    do {
      const size_t size = std::min(batch, ids_.size() - done);
      pool_.for_chunks(size, sets_per_task, [&](size_t begin, size_t end, unsigned) {
        SetBuffer buffer;
        for (size_t i = begin; i < end; ++i) {
          sample(sets_.read(ids_[done + i], buffer), sampled[i]);
        }
      });
      for (size_t i = 0; i < size; ++i) {
        const Sampled& one = sampled[i];
        count(ids_[done + i], one);
        bytes += SampleIndex::bytes_of(one.samples.size(), one.looked_up.size()) +
                 pool_.size() * sizeof(uint32_t);
        index.add(ids_[done + i], one.samples, one.looked_up, one.min_common);
      }
      done += size;
    } while (done < ids_.size() && bytes < most);
    index.freeze(pool_);
    return index;
  }

  void count(uint32_t id, const Sampled& sampled) {
    const uint64_t min_elements = std::bit_floor(sets_.size_of(id));
    SampledClass& counted = classes_[min_elements];
    counted.min_elements = min_elements;
    counted.one_in = uint64_t{1} << sampled.level;
    ++counted.sets;
    counted.samples += sampled.samples.size();
    counted.looked_up += sampled.looked_up.size();
  }

  // Looks for the samples in every set.
  Status look_through(const SampleIndex& index) {
    // By worker: the last set, as its place + 1, that each number was met in.
    std::vector<std::vector<uint32_t>> last(pool_.size(), std::vector<uint32_t>(index.size()));
    const size_t tasks = (ids_.size() + sets_per_task - 1) / sets_per_task;
    return buffer_.run(tasks, [&](size_t task, unsigned worker) {
      const size_t end = std::min(ids_.size(), (task + 1) * sets_per_task);
      uint64_t met = 0;
      SetBuffer buffer;
      for (size_t place = task * sets_per_task; place < end; ++place) {
        const uint32_t id = ids_[place];
        const sketch::HashSet set = sets_.read(id, buffer);
        for (const uint64_t element : set) {
          index.find(element, [&](uint32_t number) {
            uint32_t& mark = last[worker][number];
            if (mark == place + 1) return;
            mark = static_cast<uint32_t>(place + 1);
            if (!is_smaller(index.id(number), id)) return;
            ++met;
            if (sketch::overlap(index.samples(number), set).common < index.min_common(number))
              return;
            buffer_.add(index.id(number), id, worker);
          });
        }
      }
      met_ += met;
    });
  }

  // Of equal sizes the first is looked for in the other, so that a pair comes once.
  bool is_smaller(uint32_t a, uint32_t b) const {
    const uint64_t size_a = sets_.size_of(a);
    const uint64_t size_b = sets_.size_of(b);
    return size_a < size_b || (size_a == size_b && a < b);
  }

  const HashSets& sets_;
  const std::span<const uint32_t> ids_;
  const Budget memory_;
  ThreadPool& pool_;
  const sketch::ContainmentSamples sampling_;
  ElementCounts counts_;
  CandidateBuffer buffer_;
  std::atomic<uint64_t> met_ = 0;
  std::map<uint64_t, SampledClass> classes_;  // by the minimum number of elements
  ContainmentJoinStats stats_;
};

}  // namespace

Result<ContainmentJoinStats> containment_join(const HashSets& sets, std::span<const uint32_t> ids,
                                              const ContainmentJoinOptions& options,
                                              ThreadPool& pool, const SetJoinSinks& sinks,
                                              const std::function<void(double share)>& progress) {
  if (ids.empty()) return ContainmentJoinStats();
  return ContainmentJoin(sets, ids, options, pool, sinks).run(progress);
}

}  // namespace kith::similar
