// The measured recall of a run: a sample of documents against the pairs that are known.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kith/dedup.h"

#include "base/budget.h"
#include "base/parallel/thread_pool.h"
#include "jobs/dedup/document_table.h"
#include "jobs/dedup/earlier/earlier_run.h"
#include "jobs/dedup/groups.h"
#include "jobs/dedup/match.h"

namespace kith::jobs {

// Which pairs of some documents a finished run of `kith dedup` knows of.

// What is asked about sampled documents, the queries, held in memory as far as that is allowed and
// read from the files of the run otherwise. Thread-safe.
class KnownPairs {
 public:
  // queries: representatives, ascending. memory: for what it holds. The others outlive it.
  KnownPairs(const Matches& matches, const Groups& groups, std::span<const uint32_t> queries,
             const Budget& memory);

  // Whether the pair of the query of that number with another representative is listed, or was
  // decided in a whole part: there two documents that are both centers should be no pair.
  bool knows(size_t number, uint32_t other) const;

 private:
  // The members of a whole part that has queries.
  struct Part {
    uint32_t number;
    std::vector<bool> is_member = {};  // by document; empty: to be read from the file
  };

  void find_parts(uint64_t memory);
  void find_listed(std::span<const similar::SetPair> pairs, uint64_t memory);
  bool is_center(uint32_t representative) const;
  bool share_part(size_t number, uint32_t other) const;
  bool is_listed(size_t number, uint32_t other) const;
  // The number of a query; queries_.size() for what is none.
  size_t number_of(uint32_t id) const;

  const Matches& matches_;
  const Groups& groups_;
  const std::span<const uint32_t> queries_;
  std::vector<Part> parts_;
  std::vector<std::vector<uint32_t>> parts_of_;  // by query: indices of parts_
  bool holds_listed_ = true;
  std::vector<std::vector<uint32_t>> listed_;  // by query: what it is listed with, ascending
};

// The recall that a run of `kith dedup` really has, on a sample.

// Compares sampled representatives with all others by exact similarity, and sampled documents that
// are kept with all others that are; those that an earlier run has removed are not among them.
// Deterministic. memory: for what it holds. `promised` of the result is not filled.
DedupCheck check_matches(const DocumentTable& documents, const Against& against,
                         const Matches& matches, const Groups& groups, const DedupOptions& options,
                         const Budget& memory, ThreadPool& pool);

// What a finished run promises of pairs at its similarity; 0: nothing.
double promised_recall(const DedupReport& report);

}  // namespace kith::jobs
