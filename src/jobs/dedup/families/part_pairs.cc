#include "jobs/dedup/families/part_pairs.h"

#include <algorithm>
#include <cstdint>
#include <queue>
#include <span>
#include <utility>
#include <vector>

namespace kith::jobs {
namespace {

constexpr uint32_t nobody = UINT32_MAX;

// The union of ascending lists, block by block.
class UnionReader {
 public:
  explicit UnionReader(std::vector<std::span<const uint32_t>> lists) : lists_(std::move(lists)) {}

  // The next ids, ascending; none at the end.
  void next(size_t count, std::vector<uint32_t>& ids) {
    ids.clear();
    while (ids.size() < count) {
      uint32_t id = nobody;
      for (const auto& list : lists_) {
        if (!list.empty()) id = std::min(id, list.front());
      }
      if (id == nobody) return;
      ids.push_back(id);
      for (auto& list : lists_) {
        if (!list.empty() && list.front() == id) list = list.subspan(1);
      }
    }
  }

 private:
  std::vector<std::span<const uint32_t>> lists_;
};

// Compares one document with many.
class PairFinder {
 public:
  PairFinder(const similar::HashSets& sets, const MeetingRule& meeting,
             const similar::PairRule& rule, ThreadPool& pool)
      : sets_(sets), meeting_(meeting), rule_(rule), pool_(pool), row_(meeting.row_bytes()) {}

  Status find(uint32_t a, UnionReader others, const PartPairSink& sink) {
    constexpr size_t block = 1 << 16;
    meeting_.read(a, row_);
    for (;;) {
      others.next(block, others_);
      if (others_.empty()) return Status::ok();
      compare(a);
      for (size_t i = 0; i < others_.size(); ++i) {
        if (common_[i] != nobody) KITH_TRY(sink({a, others_[i], common_[i]}));
      }
    }
  }

 private:
  // Elements in both, nobody where the others are no pair with a.
  void compare(uint32_t a) {
    constexpr size_t grain = 256;
    common_.assign(others_.size(), nobody);
    pool_.for_chunks(others_.size(), grain, [&](size_t begin, size_t end, unsigned) {
      std::vector<uint8_t> row(row_.size());
      similar::OverlapReader overlap_of(sets_, sets_);
      for (size_t i = begin; i < end; ++i) {
        meeting_.read(others_[i], row);
        if (!meeting_.is_candidate(row_.data(), row.data())) continue;
        const sketch::SetOverlap both = overlap_of(a, others_[i]);
        if (!rule_.is_pair(a, others_[i], both)) continue;
        common_[i] = static_cast<uint32_t>(both.common);
      }
    });
  }

  const similar::HashSets& sets_;
  const MeetingRule& meeting_;
  const similar::PairRule& rule_;
  ThreadPool& pool_;
  std::vector<uint8_t> row_;  // of a
  std::vector<uint32_t> others_;
  std::vector<uint32_t> common_;  // by other
};

}  // namespace

Status for_each_part_pair(const WholeParts& parts, const similar::HashSets& sets,
                          const MeetingRule& meeting, const similar::PairRule& rule,
                          ThreadPool& pool, const PartPairSink& sink) {
  // What is left of each part, by the document that comes next in it: the smallest first.
  using Next = std::pair<uint32_t, size_t>;  // document, part
  std::priority_queue<Next, std::vector<Next>, std::greater<>> queue;
  std::vector<std::span<const uint32_t>> left(parts.size());
  for (size_t part = 0; part < parts.size(); ++part) {
    left[part] = parts.members(part);
    queue.emplace(left[part].front(), part);
  }
  PairFinder finder(sets, meeting, rule, pool);
  while (!queue.empty()) {
    const uint32_t document = queue.top().first;
    std::vector<std::span<const uint32_t>> others;
    while (!queue.empty() && queue.top().first == document) {
      const size_t part = queue.top().second;
      queue.pop();
      left[part] = left[part].subspan(1);
      others.push_back(left[part]);
      if (!left[part].empty()) queue.emplace(left[part].front(), part);
    }
    KITH_TRY(finder.find(document, UnionReader(std::move(others)), sink));
  }
  return Status::ok();
}

}  // namespace kith::jobs
