// Documents in the order in which they become centers.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace kith::jobs {

inline constexpr uint32_t no_rank = UINT32_MAX;

// Of documents with equal elements, which have the same neighbours, it is enough to scan the first
// by rank; the others join where it is (docs/algorithms/center.md). Immutable, thread-safe.
class RankedDocuments {
 public:
  // rank: a permutation. Both outlive this object.
  RankedDocuments(std::span<const uint32_t> representative, std::span<const uint32_t> rank)
      : representative_(representative),
        rank_(rank),
        first_(rank.size(), no_rank),
        by_rank_(rank.size()) {
    for (uint32_t id = 0; id < rank.size(); ++id) {
      uint32_t& best = first_[representative[id]];
      if (best == no_rank || rank[id] < rank[best]) best = id;
      by_rank_[rank[id]] = id;
    }
  }

  uint32_t size() const { return static_cast<uint32_t>(rank_.size()); }
  // Where the documents with the elements of a representative are scanned.
  uint32_t rank_of(uint32_t representative) const { return rank_[first_[representative]]; }
  uint32_t representative_at(uint32_t rank) const { return representative_[by_rank_[rank]]; }
  // Whether the document of a rank is scanned for itself and all that are equal to it.
  bool is_scanned(uint32_t rank) const { return rank_of(representative_at(rank)) == rank; }

  // By document, from the center of every rank that is scanned; no_rank stands for itself.
  std::vector<uint32_t> by_document(std::span<const uint32_t> centers) const {
    std::vector<uint32_t> center(rank_.size());
    for (uint32_t id = 0; id < center.size(); ++id) {
      const uint32_t own = first_[representative_[id]];
      const uint32_t found = centers[rank_[own]];
      center[id] = found == no_rank ? own : by_rank_[found];
    }
    return center;
  }

 private:
  const std::span<const uint32_t> representative_;
  const std::span<const uint32_t> rank_;
  std::vector<uint32_t> first_;  // by representative
  std::vector<uint32_t> by_rank_;
};

}  // namespace kith::jobs
