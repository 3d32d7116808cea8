#include <algorithm>
#include <atomic>
#include <optional>
#include <span>

#include "jobs/dedup/families/center_scan.h"

namespace kith::jobs {

CenterLeaders::CenterLeaders(const MeetingRule& meeting, const similar::HashSets& sets,
                             size_t parts, uint64_t max_of_part, const Budget& memory)
    : meeting_(meeting),
      sets_(sets),
      max_of_part_(max_of_part),
      // Vectors that grow hold twice their content for a moment.
      max_rows_(memory.bytes(Share::leader_rows) / meeting.row_bytes()),
      max_elements_(memory.bytes(Share::leader_elements) / sizeof(uint64_t)),
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

namespace {

constexpr size_t ids_per_chunk = 256;

// A center that may join a family, by their ranks.
struct Joining {
  uint32_t center;
  uint32_t family;
};

class Absorber {
 public:
  Absorber(const similar::HashSets& sets, const RankedDocuments& ranked, const MeetingRule& meeting,
           const AbsorbOptions& options, const std::function<bool(uint32_t id)>& takes_part,
           ThreadPool& pool, std::vector<uint32_t>& center)
      : sets_(sets),
        ranked_(ranked),
        meeting_(meeting),
        options_(options),
        takes_part_(takes_part),
        pool_(pool),
        center_(center) {}

  Result<uint64_t> run(const std::function<Status(const similar::SetPair& pair)>& pair) {
    find_families();
    if (families_.empty()) return uint64_t{0};
    find_joining();
    drop_torn();
    return join(pair);
  }

 private:
  bool is_center(uint32_t rank) const { return center_[rank] == no_rank || center_[rank] == rank; }
  uint32_t center_of(uint32_t rank) const {
    return center_[rank] == no_rank ? rank : center_[rank];
  }

  // The largest, then in the order of their ranks.
  void find_families() {
    std::vector<uint32_t> sizes(center_.size());
    for (uint32_t rank = 0; rank < center_.size(); ++rank) {
      if (center_[rank] != no_rank) ++sizes[center_[rank]];
    }
    for (uint32_t rank = 0; rank < sizes.size(); ++rank) {
      if (sizes[rank] >= options_.min_family) families_.push_back(rank);
    }
    if (families_.size() > options_.max_families) {
      std::ranges::stable_sort(families_,
                               [&](uint32_t a, uint32_t b) { return sizes[a] > sizes[b]; });
      families_.resize(options_.max_families);
      std::ranges::sort(families_);
    }
    rows_.resize(families_.size() * meeting_.row_bytes());
    for (size_t i = 0; i < families_.size(); ++i) {
      meeting_.read(ranked_.representative_at(families_[i]), row_of(i));
    }
  }
  std::span<uint8_t> row_of(size_t family) {
    return std::span(rows_).subspan(family * meeting_.row_bytes(), meeting_.row_bytes());
  }

  // The elements that both share, if they are a pair.
  std::optional<uint32_t> common(uint32_t rank, uint32_t family,
                                 similar::OverlapReader& overlap_of) const {
    const uint32_t a = ranked_.representative_at(rank);
    const uint32_t b = ranked_.representative_at(family);
    const sketch::SetOverlap both = overlap_of(a, b);
    if (!options_.rule.is_pair(a, b, both)) return std::nullopt;
    return static_cast<uint32_t>(both.common);
  }

  // Of each center the earliest family before it that it is a pair with.
  void find_joining() {
    std::vector<std::vector<Joining>> found(pool_.size());
    pool_.for_chunks(center_.size(), ids_per_chunk, [&](size_t begin, size_t end, unsigned worker) {
      std::vector<uint8_t> row(meeting_.row_bytes());
      similar::OverlapReader overlap_of(sets_, sets_);
      for (auto rank = static_cast<uint32_t>(begin); rank < end; ++rank) {
        const uint32_t id = ranked_.representative_at(rank);
        if (rank <= families_.front() || !is_center(rank) || !ranked_.is_scanned(rank)) continue;
        if (sets_.size_of(id) == 0 || !takes_part_(id)) continue;
        meeting_.read(id, row);
        for (size_t i = 0; i < families_.size() && families_[i] < rank; ++i) {
          if (!meeting_.is_near(row.data(), row_of(i).data())) continue;
          if (!common(rank, families_[i], overlap_of)) continue;
          found[worker].push_back({rank, families_[i]});
          break;
        }
      }
    });
    for (const std::vector<Joining>& some : found) {
      joining_.insert(joining_.end(), some.begin(), some.end());
    }
    std::ranges::sort(joining_, {}, &Joining::center);
    // What joins is itself no family that others may join.
    const std::vector<Joining> all = joining_;
    std::erase_if(joining_, [&](const Joining& one) {
      return std::ranges::binary_search(all, one.family, {}, &Joining::center);
    });
    stays_ = std::vector<std::atomic<bool>>(joining_.size());
  }

  // The number of what joins with this center; joining_.size() if nothing does.
  size_t number_of(uint32_t center) const {
    const auto found = std::ranges::lower_bound(joining_, center, {}, &Joining::center);
    const bool is_found = found != joining_.end() && found->center == center;
    return static_cast<size_t>((is_found ? found : joining_.end()) - joining_.begin());
  }

  // Groups stay of which a member is no pair with the center of the family.
  void drop_torn() {
    pool_.for_chunks(center_.size(), ids_per_chunk, [&](size_t begin, size_t end, unsigned) {
      similar::OverlapReader overlap_of(sets_, sets_);
      for (auto rank = static_cast<uint32_t>(begin); rank < end; ++rank) {
        if (is_center(rank)) continue;
        const size_t number = number_of(center_[rank]);
        if (number == joining_.size() || stays_[number]) continue;
        if (!common(rank, joining_[number].family, overlap_of)) stays_[number] = true;
      }
    });
  }

  // Block by block, so that little is held.
  Result<uint64_t> join(const std::function<Status(const similar::SetPair& pair)>& pair) {
    constexpr uint32_t block = 1 << 16;
    std::vector<similar::SetPair> pairs(std::min<size_t>(block, center_.size()));
    uint64_t joined = 0;
    for (size_t first = 0; first < center_.size(); first += block) {
      const size_t count = std::min<size_t>(block, center_.size() - first);
      pool_.for_chunks(count, ids_per_chunk, [&](size_t begin, size_t end, unsigned) {
        similar::OverlapReader overlap_of(sets_, sets_);
        for (size_t i = begin; i < end; ++i) {
          pairs[i] = new_pair(static_cast<uint32_t>(first + i), overlap_of);
        }
      });
      for (size_t i = 0; i < count; ++i) {
        if (pairs[i].a == pairs[i].b) continue;
        ++joined;
        KITH_TRY(pair(pairs[i]));
      }
    }
    for (uint32_t rank = 0; rank < center_.size(); ++rank) {
      const size_t number = number_of(center_of(rank));
      if (number == joining_.size() || stays_[number]) continue;
      if (ranked_.is_scanned(rank)) center_[rank] = joining_[number].family;
    }
    return joined;
  }

  // Of a document that joins a family, with the center of that; else a document with itself.
  similar::SetPair new_pair(uint32_t rank, similar::OverlapReader& overlap_of) const {
    const size_t number = number_of(center_of(rank));
    if (number == joining_.size() || stays_[number] || !ranked_.is_scanned(rank)) return {};
    const std::optional<uint32_t> shared = common(rank, joining_[number].family, overlap_of);
    const auto [a, b] = std::minmax(
        {ranked_.representative_at(rank), ranked_.representative_at(joining_[number].family)});
    return {a, b, shared.value_or(0)};
  }

  const similar::HashSets& sets_;
  const RankedDocuments& ranked_;
  const MeetingRule& meeting_;
  const AbsorbOptions& options_;
  const std::function<bool(uint32_t id)>& takes_part_;
  ThreadPool& pool_;
  std::vector<uint32_t>& center_;
  std::vector<uint32_t> families_;  // ranks of their centers, ascending
  std::vector<uint8_t> rows_;       // of these
  std::vector<Joining> joining_;    // ascending by center
  std::vector<std::atomic<bool>> stays_;
};

}  // namespace

Result<uint64_t> absorb_groups(const similar::HashSets& sets, const RankedDocuments& ranked,
                               const MeetingRule& meeting, const AbsorbOptions& options,
                               const std::function<bool(uint32_t id)>& takes_part, ThreadPool& pool,
                               std::vector<uint32_t>& center,
                               const std::function<Status(const similar::SetPair& pair)>& pair) {
  Absorber absorber(sets, ranked, meeting, options, takes_part, pool, center);
  return absorber.run(pair);
}

}  // namespace kith::jobs
