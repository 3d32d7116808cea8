// CENTER over verified pairs and whole parts (docs/algorithms/near-duplicates.md, "Large buckets").
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "kith/dedup.h"
#include "kith/status.h"

#include "jobs/dedup/document_table.h"
#include "jobs/dedup/earlier/earlier_run.h"
#include "jobs/dedup/families/meeting_rule.h"
#include "jobs/dedup/match.h"
#include "jobs/dedup/read.h"
#include "similar/sets/set_pairs.h"

namespace kith::jobs {

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
// take what belongs to them (center_absorb.h), where there are whole parts. Fills the counts of
// `large` that are of comparisons. The result is the same for any number of threads and any memory.
// Time: documents of parts, times the centers there.
Result<std::vector<uint32_t>> center_groups(const DocumentTable& documents, const Against& against,
                                            const Matches& matches, std::span<const uint32_t> rank,
                                            const MeetingRule& meeting,
                                            const CenterScanOptions& options,
                                            const DedupResources& resources,
                                            const CenterScanSinks& sinks, DedupLargeParts& large);

}  // namespace kith::jobs
