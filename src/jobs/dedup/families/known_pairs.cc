#include "jobs/dedup/families/known_pairs.h"

#include <algorithm>
#include <utility>

namespace kith::jobs {
namespace {

bool holds(std::span<const similar::SetPair> sorted, uint32_t a, uint32_t b) {
  const auto key = std::pair(std::min(a, b), std::max(a, b));
  const auto pair_of = [](const similar::SetPair& pair) { return std::pair(pair.a, pair.b); };
  return std::ranges::binary_search(sorted, key, {}, pair_of);
}

}  // namespace

KnownPairs::KnownPairs(const Matches& matches, const Groups& groups,
                       std::span<const uint32_t> queries, uint64_t memory)
    : matches_(matches),
      groups_(groups),
      queries_(queries),
      parts_of_(queries.size()),
      listed_(queries.size()) {
  find_parts(memory / 2);
  find_listed(matches.pairs(), memory / 4);
  if (holds_listed_) find_listed(groups.center_pairs(), memory / 4);
  for (std::vector<uint32_t>& others : listed_) std::ranges::sort(others);
}

size_t KnownPairs::number_of(uint32_t id) const {
  const auto place = std::ranges::lower_bound(queries_, id);
  const bool is_query = place != queries_.end() && *place == id;
  return static_cast<size_t>((is_query ? place : queries_.end()) - queries_.begin());
}

void KnownPairs::find_parts(uint64_t memory) {
  const size_t documents = matches_.representative().size();
  for (uint32_t number = 0; number < matches_.parts().size(); ++number) {
    const std::span<const uint32_t> members = matches_.parts().members(number);
    bool any = false;
    for (size_t query = 0; query < queries_.size(); ++query) {
      if (!std::ranges::binary_search(members, queries_[query])) continue;
      parts_of_[query].push_back(static_cast<uint32_t>(parts_.size()));
      any = true;
    }
    if (any) {
      parts_.push_back({number});
      if (parts_.size() * documents / 8 <= memory) {
        parts_.back().is_member.resize(documents);
        for (const uint32_t id : members) parts_.back().is_member[id] = true;
      }
    }
    matches_.release();
  }
}

void KnownPairs::find_listed(std::span<const similar::SetPair> pairs, uint64_t memory) {
  constexpr size_t released_at_once = 1 << 16;
  std::vector<bool> is_query(matches_.representative().size());
  for (const uint32_t id : queries_) is_query[id] = true;
  uint64_t held = 0;
  for (size_t i = 0; i < pairs.size() && holds_listed_; ++i) {
    const similar::SetPair& pair = pairs[i];
    for (const auto& [query, other] : {std::pair(pair.a, pair.b), std::pair(pair.b, pair.a)}) {
      if (!is_query[query]) continue;
      listed_[number_of(query)].push_back(other);
      held += 2 * sizeof(uint32_t);  // a vector that grows may be half empty
    }
    if (held > memory) holds_listed_ = false;
    if (i % released_at_once != 0) continue;
    matches_.release();
    groups_.release();
  }
  if (!holds_listed_) listed_ = std::vector<std::vector<uint32_t>>(queries_.size());
  matches_.release();
  groups_.release();
}

bool KnownPairs::is_center(uint32_t representative) const {
  return matches_.representative()[groups_.center()[representative]] == representative;
}

bool KnownPairs::share_part(size_t number, uint32_t other) const {
  for (const uint32_t index : parts_of_[number]) {
    const Part& part = parts_[index];
    const bool is_member = part.is_member.empty() ? matches_.parts().contains(part.number, other)
                                                  : part.is_member[other];
    if (is_member) return true;
  }
  return false;
}

bool KnownPairs::is_listed(size_t number, uint32_t other) const {
  if (holds_listed_) return std::ranges::binary_search(listed_[number], other);
  return holds(matches_.pairs(), queries_[number], other) ||
         holds(groups_.center_pairs(), queries_[number], other);
}

bool KnownPairs::knows(size_t number, uint32_t other) const {
  if (is_listed(number, other)) return true;
  return share_part(number, other) && !(is_center(queries_[number]) && is_center(other));
}

}  // namespace kith::jobs
