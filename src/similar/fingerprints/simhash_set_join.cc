#include <algorithm>
#include <utility>

#include "base/hash.h"
#include "base/parallel/thread_pool.h"
#include "similar/fingerprints/simhash_join.h"
#include "similar/sets/set_pairs.h"
#include "sketch/simhash.h"
#include "storage/external_sort.h"

namespace kith::similar {
namespace {

// With two writers a full buffer is sorted by the thread that appends, which is inside a job of the
// pool here.
constexpr unsigned from_jobs = 2;
constexpr uint64_t default_memory = uint64_t{256} << 20;

storage::ExternalSortOptions sort_options(const std::string& scratch, uint64_t memory) {
  storage::ExternalSortOptions options;
  options.scratch = scratch;
  options.memory = memory;
  options.writers = from_jobs;
  return options;
}

// Two fingerprints by their places, the same one twice for the sets that share it.
struct Places {
  uint32_t a;
  uint32_t b;
};

// The sets of fingerprints that are near.
class NearSets {
 public:
  NearSets(const HashSets& sets, const FingerprintGroups& groups,
           const SimhashSetJoinOptions& options, const Budget& memory, ThreadPool& pool,
           const SetJoinSinks& sinks)
      : groups_(groups),
        whole_part_(sinks.whole_part),
        largest_(options.largest_group),
        buffer_(sets, options.rule, sinks, memory, pool) {
    stats_.by_distance.resize(options.distance + 1);
  }

  // REQUIRES: there is a sink for whole parts. places: ascending.
  Status give_group(uint64_t name, std::span<const uint32_t> places) {
    std::vector<uint32_t> members;
    for (const uint32_t place : places) {
      const std::span<const uint32_t> some = groups_.documents(place);
      members.insert(members.end(), some.begin(), some.end());
    }
    std::ranges::sort(members);
    stats_.whole += {.buckets = 1, .members = members.size(), .largest = members.size()};
    return whole_part_(name, members);
  }

  Status add_equal() {
    constexpr size_t batch = 1 << 16;
    std::vector<Places> places;
    for (uint32_t place = 0; place < groups_.size(); ++place) {
      const uint64_t size = groups_.documents(place).size();
      if (size < 2) continue;
      if (whole_part_ && size > largest_) {
        KITH_TRY(give_group(mix64(groups_.fingerprints()[place]), {&place, 1}));
        continue;
      }
      places.push_back({place, place});
      stats_.by_distance[0] += size * (size - 1) / 2;
      if (places.size() == batch) KITH_TRY(give(places));
    }
    return give(places);
  }

  Status add_near(std::span<const KeyId> records) {
    std::vector<Places> places;
    for (const KeyId& record : records) {
      places.push_back(
          {static_cast<uint32_t>(record.key >> 32), static_cast<uint32_t>(record.key)});
      stats_.by_distance[record.id] +=
          groups_.documents(places.back().a).size() * groups_.documents(places.back().b).size();
    }
    return give(places);
  }

  Result<SimhashSetJoinStats> finish() {
    KITH_TRY(buffer_.flush());
    stats_.candidates = buffer_.candidates();
    stats_.similar = buffer_.similar();
    return std::move(stats_);
  }

 private:
  // The sets of the one against those of the other, some of the one at a time.
  Status give(std::vector<Places>& places) {
    constexpr size_t rows = 64;
    struct Task {
      Places places;
      size_t first;
    };
    std::vector<Task> tasks;
    for (const Places& both : places) {
      const size_t size = groups_.documents(both.a).size();
      for (size_t first = 0; first < size; first += rows) tasks.push_back({both, first});
    }
    places.clear();
    return buffer_.run(tasks.size(), [&](size_t number, unsigned worker) {
      const Task& task = tasks[number];
      const std::span<const uint32_t> left = groups_.documents(task.places.a);
      const std::span<const uint32_t> right = groups_.documents(task.places.b);
      const bool same = task.places.a == task.places.b;
      for (size_t i = task.first; i < std::min(task.first + rows, left.size()); ++i) {
        for (size_t j = same ? i + 1 : 0; j < right.size(); ++j) {
          buffer_.add(left[i], right[j], worker);
        }
      }
    });
  }

  const FingerprintGroups& groups_;
  const decltype(SetJoinSinks::whole_part) whole_part_;
  const uint64_t largest_;
  CandidateBuffer buffer_;
  SimhashSetJoinStats stats_;
};

}  // namespace

uint64_t set_fingerprint(sketch::HashSet set) {
  std::vector<sketch::WeightedFeature> features;
  features.reserve(set.size());
  for (const uint64_t element : set) features.push_back({element, 1});
  return sketch::simhash(features);
}

Status write_set_fingerprints(storage::FileSystem& fs, const std::string& path,
                              const HashSets& sets, std::span<const uint32_t> ids,
                              const std::string& scratch, const Budget& memory, ThreadPool& pool) {
  constexpr size_t batch = 1 << 14;
  constexpr size_t grain = 64;
  FingerprintGrouper grouper(
      fs, pool, {.scratch = scratch, .memory = memory.or_else(default_memory).bytes()});
  std::vector<uint64_t> fingerprints(std::min(batch, ids.size()));
  for (size_t first = 0; first < ids.size(); first += batch) {
    const std::span<const uint32_t> some = ids.subspan(first, std::min(batch, ids.size() - first));
    pool.for_chunks(some.size(), grain, [&](size_t begin, size_t end, unsigned) {
      SetBuffer buffer;
      for (size_t i = begin; i < end; ++i) {
        fingerprints[i] = set_fingerprint(sets.read(some[i], buffer));
      }
    });
    for (size_t i = 0; i < some.size(); ++i) KITH_TRY(grouper.add(some[i], fingerprints[i]));
  }
  return grouper.write(path);
}

Result<SimhashSetJoinStats> simhash_set_join(storage::FileSystem& fs, const HashSets& sets,
                                             const FingerprintGroups& groups,
                                             const SimhashSetJoinOptions& options, ThreadPool& pool,
                                             const SetJoinSinks& sinks,
                                             const JoinProgress& progress) {
  const Budget memory = options.memory.or_else(default_memory);
  storage::ExternalSort sort(fs, pool,
                             sort_options(options.scratch, memory.bytes(Share::near_pairs)));
  NearSets expand(sets, groups, options, memory, pool, sinks);
  SimhashJoinOptions join{.distance = options.distance,
                          .memory = options.memory.share(Share::fingerprint_join),
                          .mapping = &groups.mapping()};
  if (sinks.whole_part) {
    join.groups = [&](uint64_t name, std::span<const uint32_t> places) {
      return expand.give_group(name, places);
    };
    join.weight = [&](uint32_t place) {
      return static_cast<uint32_t>(groups.documents(place).size());
    };
    for (uint32_t place = 0; place < groups.size(); ++place) {
      join.max_weight = std::max(join.max_weight, join.weight(place));
    }
  }
  const auto keep = [&](std::span<const FingerprintPair> batch) -> Status {
    for (const FingerprintPair& pair : batch) {
      KITH_TRY(sort.append({uint64_t{pair.a} << 32 | pair.b, pair.distance}));
    }
    return Status::ok();
  };
  KITH_TRY(simhash_join(groups.fingerprints(), join, pool, keep, progress).status());
  KITH_ASSIGN(storage::SortedRecords near, sort.finish());
  KITH_TRY(expand.add_equal());
  for (;;) {
    KITH_ASSIGN(const std::span<const KeyId> records, near.next());
    if (records.empty()) break;
    KITH_TRY(expand.add_near(records));
  }
  return expand.finish();
}

}  // namespace kith::similar
