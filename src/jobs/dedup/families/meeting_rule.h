// Whether documents that meet in a large bucket are a candidate by the method of a run: by what is
// small enough of each to be held for every center.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "kith/dedup.h"
#include "kith/status.h"

#include "base/parallel/thread_pool.h"
#include "jobs/dedup/document_table.h"
#include "jobs/dedup/match.h"
#include "jobs/dedup/read.h"
#include "similar/sets/hash_sets.h"
#include "similar/sets/set_pairs.h"

namespace kith::jobs {

// Thread-safe.
class MeetingRule {
 public:
  virtual ~MeetingRule() = default;

  // Bytes of the row of a document.
  virtual size_t row_bytes() const = 0;
  // Makes the row of a document that is not empty. The resident set stays as it is.
  virtual void read(uint32_t id, std::span<uint8_t> row) const = 0;
  // Whether two documents are a candidate, by their rows.
  virtual bool is_candidate(const uint8_t* a, const uint8_t* b) const = 0;
  // Whether documents that need not have met are worth an exact comparison: what are candidates,
  // and perhaps more.
  virtual bool is_near(const uint8_t* a, const uint8_t* b) const { return is_candidate(a, b); }
};

// That of options.method: of minhash the low bytes of the signatures agree often enough; of
// supershingle enough super-shingles are equal; of simhash fingerprints are near. With the others,
// and without large buckets, nothing is a candidate. The documents, with their sketches, must
// outlive it. With simhash it reads the fingerprints file of the run and takes 8 bytes per
// document.
Result<std::unique_ptr<MeetingRule>> meeting_rule(const DocumentTable& documents,
                                                  bool has_large_buckets,
                                                  const DedupOptions& options,
                                                  const DedupResources& resources);

// All similar pairs of documents that meet in whole parts, for those who ask for them
// (docs/algorithms/near-duplicates.md, "Large buckets").

// Receives a pair, a < b; an error ends the search.
using PartPairSink = std::function<Status(const similar::SetPair& pair)>;

// Gives every pair of representatives that share a part, are a candidate by `meeting` and a pair by
// `rule`: each once, ascending by a, then by b. Time: the pairs that share a part. Memory: a few
// MiB, however many pairs there are.
Status for_each_part_pair(const WholeParts& parts, const similar::HashSets& sets,
                          const MeetingRule& meeting, const similar::PairRule& rule,
                          ThreadPool& pool, const PartPairSink& sink);

}  // namespace kith::jobs
