// CENTER over verified pairs and whole parts (docs/algorithms/near-duplicates.md, "Large buckets"):
// centers of large families, their order, their index, and who is absorbed at last.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "kith/dedup.h"
#include "kith/status.h"

#include "base/budget.h"
#include "base/parallel/thread_pool.h"
#include "jobs/dedup/document_table.h"
#include "jobs/dedup/earlier/earlier_run.h"
#include "jobs/dedup/families/meeting_rule.h"
#include "jobs/dedup/match.h"
#include "jobs/dedup/read.h"
#include "similar/sets/hash_sets.h"
#include "similar/sets/set_pairs.h"

namespace kith::jobs {

// Documents in the order in which they become centers.
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

// The centers that lie in whole parts: what is compared of them, and which part has which. Internal
// to the scan for centers.

// Leaders are numbered in the order in which they were added. Not thread-safe while one is added.
class CenterLeaders {
 public:
  // max_of_part: leaders that a part holds. memory: bytes that rows and elements may take; what
  // does not fit is read from the files when it is compared.
  CenterLeaders(const MeetingRule& meeting, const similar::HashSets& sets, size_t parts,
                uint64_t max_of_part, const Budget& memory);

  // A new leader, of the representative `id`, in the parts.
  void add(uint32_t rank, uint32_t id, std::span<const uint8_t> row,
           std::span<const uint32_t> parts);

  uint32_t size() const { return static_cast<uint32_t>(ranks_.size()); }
  uint32_t rank(uint32_t leader) const { return ranks_[leader]; }
  uint32_t id(uint32_t leader) const { return ids_[leader]; }
  // Of a part, ascending.
  std::span<const uint32_t> of_part(uint32_t part) const { return by_part_[part].leaders; }
  // Leaders that a part was too full for.
  uint64_t left_out(uint32_t part) const { return by_part_[part].left_out; }

  // Whether a row is a candidate with a leader. `buffer` has room for a row.
  bool is_candidate(std::span<const uint8_t> row, uint32_t leader, std::span<uint8_t> buffer) const;
  // A set to be compared with leaders: a view until the buffer is used again; nothing of one that
  // is too large to be held.
  sketch::HashSet read(uint32_t id, similar::SetBuffer& buffer) const;
  // What a set, as given by read(), and that of a leader have in common.
  sketch::SetOverlap overlap_with(uint32_t id, sketch::HashSet set, uint32_t leader) const;

 private:
  struct Part {
    std::vector<uint32_t> leaders;
    uint64_t left_out = 0;
  };
  void keep_elements(uint32_t id);

  const MeetingRule& meeting_;
  const similar::HashSets& sets_;
  const uint64_t max_of_part_;
  const size_t max_rows_;
  const size_t max_elements_;
  std::vector<Part> by_part_;
  std::vector<uint32_t> ranks_;
  std::vector<uint32_t> ids_;
  std::vector<uint8_t> rows_;           // of the first leaders
  std::vector<uint64_t> elements_;      // of the first leaders, one after the other
  std::vector<size_t> elements_at_{0};  // where each begins, and the end
};

// What chance has kept apart from a large family joins it (docs/algorithms/near-duplicates.md,
// "Large buckets").
struct AbsorbOptions {
  uint32_t min_family = 64;    // documents of a group that others may join, at least 2
  uint32_t max_families = 64;  // the largest ones
  similar::PairRule rule;
};

// Of the largest families: a group, or a document alone, whose center comes after that of a family
// and is a pair with it joins the family if all its documents are pairs with the center of that. So
// a document that met none of its family by chance is not kept. `center` is by rank: the rank of
// the center, no_rank for a document alone. takes_part(id) says of a representative whether it may
// join; `pair` receives it with its new center (a < b). Returns the documents that have joined.
// The same for any number of threads. Time: documents alone and centers times families, and the
// documents that join.
Result<uint64_t> absorb_groups(const similar::HashSets& sets, const RankedDocuments& ranked,
                               const MeetingRule& meeting, const AbsorbOptions& options,
                               const std::function<bool(uint32_t id)>& takes_part, ThreadPool& pool,
                               std::vector<uint32_t>& center,
                               const std::function<Status(const similar::SetPair& pair)>& pair);

struct CenterScanOptions {
  similar::PairRule rule;  // what makes a candidate a pair
  // Whether a document is compared with every center of its parts, and not only until it has found
  // the one that it joins.
  bool all_centers = false;
  // A document is compared with no more centers of a part; 0: with all.
  uint64_t max_centers = 0;
  // Whether large families take at last what belongs to them: not where these are but some of the
  // documents.
  bool absorb = true;
};

// Receive what whole parts bring, from one thread at a time and outside the pool's jobs.
struct CenterScanSinks {
  // A document and a center, a < b, representatives, that are a pair: in no order, each once.
  std::function<Status(const similar::SetPair& pair)> pairs;
  // Every candidate that was compared exactly, whether it is a pair or not.
  std::function<void(uint32_t a, uint32_t b)> candidates;
  // How much of the scan is done, in [0, 1].
  std::function<void(double share)> progress;
};

// The most centers that a document is compared with in a part, by the number of parts and of their
// members: so that all of them take a few bytes per document, and all comparisons together stay
// within max_comparisons (0: any).
uint64_t max_centers_of(uint64_t parts, uint64_t members, uint32_t documents,
                        uint64_t max_comparisons);

// For every document its center. `rank` is a permutation of the documents, by which they become
// centers: a document joins the earliest center among those that it is a pair with, in
// matches.pairs() or in a whole part; one that has none is a center itself. At last large families
// take what belongs to them, where there are whole parts. Fills the counts of
// `large` that are of comparisons. The result is the same for any number of threads and any memory.
// Time: documents of parts, times the centers there.
Result<std::vector<uint32_t>> center_groups(const DocumentTable& documents, const Against& against,
                                            const Matches& matches, std::span<const uint32_t> rank,
                                            const MeetingRule& meeting,
                                            const CenterScanOptions& options,
                                            const DedupResources& resources,
                                            const CenterScanSinks& sinks, DedupLargeParts& large);

}  // namespace kith::jobs
