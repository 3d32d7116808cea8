#include "jobs/dedup/families/center_scan.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/budget.h"
#include "run/memory_budget.h"
#include "similar/sets/hash_sets.h"
#include "storage/external_sort.h"

namespace kith::jobs {
namespace {

// Sorted records, one after the other.
class RecordStream {
 public:
  explicit RecordStream(storage::SortedRecords sorted) : sorted_(std::move(sorted)) {}

  // To be called first.
  Status fill() {
    KITH_ASSIGN(records_, sorted_.next());
    return Status::ok();
  }
  bool at_end() const { return records_.empty(); }
  // The upper half of the key. REQUIRES: not at the end.
  uint32_t rank() const { return static_cast<uint32_t>(records_.front().key >> 32); }
  // And the lower half.
  uint32_t value() const { return static_cast<uint32_t>(records_.front().key); }
  Status pass() {
    records_ = records_.subspan(1);
    return records_.empty() ? fill() : Status::ok();
  }

 private:
  storage::SortedRecords sorted_;
  std::span<const KeyId> records_;
};

// A center that a document is a candidate with.
struct Hit {
  uint32_t leader;
  uint32_t common;
  bool is_pair;
};

// A document of whole parts that is being scanned.
struct Task {
  uint32_t rank;
  uint32_t id;  // the representative
  size_t parts_begin;
  size_t parts_end;
  std::vector<Hit> hits = {};  // ascending by leader
};

// Compares documents with the centers of their parts. Thread-safe.
class TaskComparer {
 public:
  TaskComparer(const CenterLeaders& leaders, const CenterScanOptions& options)
      : leaders_(leaders), options_(options) {}

  // Adds the hits among the leaders [first, last) of the parts that come before `limit`, a rank:
  // the earliest first, to the first pair unless all are asked for. Returns the number of
  // comparisons.
  uint64_t compare(Task& task, std::span<const uint32_t> parts, std::span<const uint8_t> row,
                   uint32_t first, uint32_t last, uint32_t limit) {
    std::vector<std::span<const uint32_t>> lists;
    for (const uint32_t part : parts) {
      const std::span<const uint32_t> all = leaders_.of_part(part);
      const auto from = std::ranges::lower_bound(all, first);
      lists.push_back(all.subspan(static_cast<size_t>(from - all.begin())));
    }
    std::vector<uint8_t> buffer(row.size());
    similar::SetBuffer set_buffer;
    sketch::HashSet set;  // of the task, once it is needed
    uint64_t compared = 0;
    for (;;) {
      const uint32_t leader = next_of(lists);
      if (leader >= last || leaders_.rank(leader) >= limit) break;
      ++compared;
      if (!leaders_.is_candidate(row, leader, buffer)) continue;
      if (set.empty()) set = leaders_.read(task.id, set_buffer);
      if (verify(task, set, leader) && !options_.all_centers) break;
    }
    return compared;
  }

 private:
  // The least that any list begins with, which is taken from all lists; no_rank at the end.
  static uint32_t next_of(std::vector<std::span<const uint32_t>>& lists) {
    uint32_t next = no_rank;
    for (const auto& list : lists) {
      if (!list.empty()) next = std::min(next, list.front());
    }
    for (auto& list : lists) {
      if (!list.empty() && list.front() == next) list = list.subspan(1);
    }
    return next;
  }

  bool verify(Task& task, sketch::HashSet set, uint32_t leader) {
    const sketch::SetOverlap both = leaders_.overlap_with(task.id, set, leader);
    const bool is_pair = options_.rule.is_pair(task.id, leaders_.id(leader), both);
    task.hits.push_back({leader, static_cast<uint32_t>(both.common), is_pair});
    return is_pair;
  }

  const CenterLeaders& leaders_;
  const CenterScanOptions& options_;
};

// Batches of documents are compared with the centers so far by all threads; then, one document
// after the other, with those of the batch. What is found does not depend on the batches.
class CenterScan {
 public:
  CenterScan(const DocumentTable& documents, const Matches& matches, std::span<const uint32_t> rank,
             const MeetingRule& meeting, const CenterScanOptions& options,
             const DedupResources& resources, const CenterScanSinks& sinks, DedupLargeParts& large)
      : matches_(matches),
        ranked_(matches.representative(), rank),
        meeting_(meeting),
        options_(options),
        resources_(resources),
        sinks_(sinks),
        large_(large),
        memory_(run::working_memory(resources.memory, documents.size())),
        leaders_(meeting, documents.sets(), matches.parts().size(),
                 options.max_centers == 0 ? UINT64_MAX : options.max_centers,
                 memory_.share(Share::leaders)),
        comparer_(leaders_, options),
        center_(documents.size(), no_rank) {}

  Status run() {
    storage::ExternalSort pair_sort(
        resources_.fs, resources_.pool,
        {.scratch = resources_.scratch + "/center", .memory = memory_.bytes(Share::scanned_pairs)});
    storage::ExternalSort part_sort(resources_.fs, resources_.pool,
                                    {.scratch = resources_.scratch + "/center_parts",
                                     .memory = memory_.bytes(Share::scanned_parts)});
    KITH_TRY(sort_pairs(pair_sort));
    KITH_TRY(sort_parts(part_sort));
    KITH_ASSIGN(storage::SortedRecords sorted_pairs, pair_sort.finish());
    KITH_ASSIGN(storage::SortedRecords sorted_parts, part_sort.finish());
    RecordStream pairs(std::move(sorted_pairs));
    RecordStream parts(std::move(sorted_parts));
    KITH_TRY(pairs.fill());
    KITH_TRY(parts.fill());
    size_t batch = 16;
    while (!parts.at_end()) {
      KITH_TRY(read_batch(parts, batch));
      compare_batch();
      for (Task& task : tasks_) KITH_TRY(place(task, pairs));
      tell_progress();
      batch = std::min<size_t>(2 * batch, 4096);
    }
    return pass_on_pairs(pairs, no_rank);
  }

  // Afterwards: lets large families take what belongs to them.
  Status absorb(const DocumentTable& documents, const Against& against) {
    const AbsorbOptions absorb{.rule = options_.rule};
    const auto pair = [&](const similar::SetPair& found) {
      if (sinks_.candidates) sinks_.candidates(found.a, found.b);
      return sinks_.pairs ? sinks_.pairs(found) : Status::ok();
    };
    KITH_ASSIGN(large_.absorbed, absorb_groups(
                                     documents.sets(), ranked_, meeting_, absorb,
                                     [&](uint32_t id) { return !against.removed(id); },
                                     resources_.pool, center_, pair));
    return Status::ok();
  }

  std::vector<uint32_t> centers() const { return ranked_.by_document(center_); }

 private:
  Status sort_pairs(storage::ExternalSort& sort) {
    for (const similar::SetPair& pair : matches_.pairs()) {
      const auto [low, high] = std::minmax({ranked_.rank_of(pair.a), ranked_.rank_of(pair.b)});
      KITH_TRY(sort.append({uint64_t{low} << 32 | high, 0}));
      matches_.pass(pair);
    }
    matches_.release();
    return Status::ok();
  }

  Status sort_parts(storage::ExternalSort& sort) {
    constexpr size_t block = 1 << 18;
    size_t read = 0;
    for (uint32_t part = 0; part < matches_.parts().size(); ++part) {
      for (const uint32_t id : matches_.parts().members(part)) {
        KITH_TRY(sort.append({uint64_t{ranked_.rank_of(id)} << 32 | part, 0}));
        if (++read % block == 0) matches_.release();
      }
    }
    matches_.release();
    return Status::ok();
  }

  // The next documents of parts, with their rows.
  Status read_batch(RecordStream& parts, size_t most) {
    constexpr size_t max_parts = 1 << 18;
    tasks_.clear();
    parts_.clear();
    while (!parts.at_end() && tasks_.size() < most && parts_.size() < max_parts) {
      const uint32_t rank = parts.rank();
      const size_t begin = parts_.size();
      while (!parts.at_end() && parts.rank() == rank) {
        parts_.push_back(parts.value());
        KITH_TRY(parts.pass());
      }
      tasks_.push_back({rank, ranked_.representative_at(rank), begin, parts_.size()});
    }
    rows_.resize(tasks_.size() * meeting_.row_bytes());
    return Status::ok();
  }

  std::span<const uint32_t> parts_of(const Task& task) const {
    return std::span(parts_).subspan(task.parts_begin, task.parts_end - task.parts_begin);
  }
  std::span<uint8_t> row_of(const Task& task) {
    const size_t number = static_cast<size_t>(&task - tasks_.data());
    return std::span(rows_).subspan(number * meeting_.row_bytes(), meeting_.row_bytes());
  }
  // What comes from a listed center or later is of no use to a document.
  uint32_t limit_of(const Task& task) const {
    return options_.all_centers ? no_rank : center_[task.rank];
  }

  void compare_batch() {
    constexpr size_t grain = 16;
    before_ = leaders_.size();
    std::vector<uint64_t> compared(resources_.pool.size());
    resources_.pool.for_chunks(
        tasks_.size(), grain, [&](size_t begin, size_t end, unsigned worker) {
          for (size_t i = begin; i < end; ++i) {
            Task& task = tasks_[i];
            meeting_.read(task.id, row_of(task));
            compared[worker] +=
                comparer_.compare(task, parts_of(task), row_of(task), 0, before_, limit_of(task));
          }
        });
    for (const uint64_t count : compared) large_.comparisons += count;
  }

  void tell_progress() {
    done_ += parts_.size();
    if (!sinks_.progress) return;
    sinks_.progress(static_cast<double>(done_) / static_cast<double>(matches_.parts().members()));
  }

  // Finds the center of a document of the batch, or makes it one.
  Status place(Task& task, RecordStream& pairs) {
    KITH_TRY(pass_on_pairs(pairs, task.rank));
    const auto is_pair = [](const Hit& hit) { return hit.is_pair; };
    if (options_.all_centers || std::ranges::none_of(task.hits, is_pair)) {
      large_.comparisons += comparer_.compare(task, parts_of(task), row_of(task), before_,
                                              leaders_.size(), limit_of(task));
    }
    uint32_t& center = center_[task.rank];
    for (const Hit& hit : task.hits) {
      const auto [a, b] = std::minmax({task.id, leaders_.id(hit.leader)});
      ++large_.candidates;
      if (sinks_.candidates) sinks_.candidates(a, b);
      if (!hit.is_pair) continue;
      ++large_.similar;
      center = std::min(center, leaders_.rank(hit.leader));
      if (sinks_.pairs) KITH_TRY(sinks_.pairs({a, b, hit.common}));
    }
    if (center != no_rank) return Status::ok();
    center = task.rank;
    ++large_.centers;
    for (const uint32_t part : parts_of(task)) large_.left_out += leaders_.left_out(part);
    leaders_.add(task.rank, task.id, row_of(task), parts_of(task));
    return Status::ok();
  }

  // Centers before `end` take their listed neighbours.
  Status pass_on_pairs(RecordStream& pairs, uint32_t end) {
    while (!pairs.at_end() && pairs.rank() < end) {
      uint32_t& left = center_[pairs.rank()];
      if (left == no_rank) left = pairs.rank();
      uint32_t& right = center_[pairs.value()];
      if (left == pairs.rank() && right == no_rank) right = left;
      KITH_TRY(pairs.pass());
    }
    return Status::ok();
  }

  const Matches& matches_;
  const RankedDocuments ranked_;
  const MeetingRule& meeting_;
  const CenterScanOptions& options_;
  const DedupResources& resources_;
  const CenterScanSinks& sinks_;
  DedupLargeParts& large_;
  const Budget memory_;
  CenterLeaders leaders_;
  TaskComparer comparer_;
  std::vector<uint32_t> center_;  // by rank: the earliest center so far, a rank
  std::vector<Task> tasks_;       // of the batch
  std::vector<uint32_t> parts_;   // of all tasks
  std::vector<uint8_t> rows_;     // of all tasks
  uint32_t before_ = 0;           // leaders that are older than the batch
  uint64_t done_ = 0;             // members of parts, of earlier batches
};

}  // namespace

uint64_t max_centers_of(uint64_t parts, uint64_t members, uint32_t documents,
                        uint64_t max_comparisons) {
  constexpr uint64_t most = 4096;
  constexpr uint64_t fewest = 16;
  constexpr uint64_t entries_of_document = 4;
  if (parts == 0) return most;
  const uint64_t held = std::clamp(entries_of_document * documents / parts, fewest, most);
  if (max_comparisons == 0) return held;
  return std::clamp<uint64_t>(max_comparisons / members, 1, held);
}

Result<std::vector<uint32_t>> center_groups(const DocumentTable& documents, const Against& against,
                                            const Matches& matches, std::span<const uint32_t> rank,
                                            const MeetingRule& meeting,
                                            const CenterScanOptions& options,
                                            const DedupResources& resources,
                                            const CenterScanSinks& sinks, DedupLargeParts& large) {
  CenterScan scan(documents, matches, rank, meeting, options, resources, sinks, large);
  KITH_TRY(scan.run());
  if (options.absorb && matches.parts().size() > 0) KITH_TRY(scan.absorb(documents, against));
  return scan.centers();
}

}  // namespace kith::jobs
