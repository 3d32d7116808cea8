#include "jobs/dedup/families/center_leaders.h"

#include <algorithm>

namespace kith::jobs {

CenterLeaders::CenterLeaders(const MeetingRule& meeting, const similar::HashSets& sets,
                             size_t parts, uint64_t max_of_part, uint64_t memory)
    : meeting_(meeting),
      sets_(sets),
      max_of_part_(max_of_part),
      // Vectors that grow hold twice their content for a moment.
      max_rows_(memory / 4 / meeting.row_bytes()),
      max_elements_(memory / 4 / sizeof(uint64_t)),
      by_part_(parts) {}

void CenterLeaders::add(uint32_t rank, uint32_t id, std::span<const uint8_t> row,
                        std::span<const uint32_t> parts) {
  const uint32_t leader = size();
  bool is_used = false;
  for (const uint32_t part : parts) {
    Part& at = by_part_[part];
    if (at.leaders.size() >= max_of_part_) {
      ++at.left_out;
    } else {
      at.leaders.push_back(leader);
      is_used = true;
    }
  }
  if (!is_used) return;
  if (ranks_.size() < max_rows_) rows_.insert(rows_.end(), row.begin(), row.end());
  keep_elements(id);
  ranks_.push_back(rank);
  ids_.push_back(id);
}

void CenterLeaders::keep_elements(uint32_t id) {
  constexpr uint64_t largest_set = 1 << 16;
  const bool all_kept = elements_at_.size() == ranks_.size() + 1;
  if (!all_kept || sets_.size_of(id) > largest_set ||
      elements_.size() + sets_.size_of(id) > max_elements_) {
    return;
  }
  similar::SetBuffer buffer;
  const sketch::HashSet set = sets_.read(id, buffer);
  elements_.insert(elements_.end(), set.begin(), set.end());
  elements_at_.push_back(elements_.size());
}

bool CenterLeaders::is_candidate(std::span<const uint8_t> row, uint32_t leader,
                                 std::span<uint8_t> buffer) const {
  if (leader < max_rows_) {
    return meeting_.is_candidate(row.data(), rows_.data() + leader * row.size());
  }
  meeting_.read(ids_[leader], buffer);
  return meeting_.is_candidate(row.data(), buffer.data());
}

sketch::HashSet CenterLeaders::read(uint32_t id, similar::SetBuffer& buffer) const {
  if (sets_.size_of(id) > similar::HashSets::part_size) return {};
  return sets_.read(id, buffer);
}

sketch::SetOverlap CenterLeaders::overlap_with(uint32_t id, sketch::HashSet set,
                                               uint32_t leader) const {
  if (set.empty() || leader + 1 >= elements_at_.size()) {
    return similar::set_overlap(sets_, id, sets_, ids_[leader]);
  }
  const size_t begin = elements_at_[leader];
  return sketch::overlap(set,
                         std::span(elements_).subspan(begin, elements_at_[leader + 1] - begin));
}

}  // namespace kith::jobs
