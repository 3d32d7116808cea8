// CENTER where there are whole parts, by the scan of `kith dedup` on one machine: over documents
// that come from many. They become centers in the order of their numbers.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kith/dedup.h"
#include "kith/shingles.h"
#include "kith/status.h"

#include "base/parallel/thread_pool.h"
#include "distributed/dedup_steps.h"
#include "jobs/dedup/document_table.h"
#include "jobs/dedup/families/center_scan.h"
#include "jobs/dedup/methods.h"
#include "jobs/dedup/read.h"
#include "storage/file_system.h"

namespace kith::distributed {

// For the step after the scan, which needs all documents: the largest max_families groups of
// min_family documents or more are joined by what chance has kept apart from them
// (docs/algorithms/near-duplicates.md, "Large buckets").
inline constexpr uint32_t min_family = jobs::AbsorbOptions().min_family;
inline constexpr uint32_t max_families = jobs::AbsorbOptions().max_families;

// The most centers of a part that a document is compared with, by all parts, their members and all
// documents.
uint64_t max_centers(uint64_t parts, uint64_t members, uint64_t documents,
                     uint64_t max_comparisons);

struct CenterScanInput {
  std::span<const uint32_t> a = {};             // of similar pairs the smaller documents,
  std::span<const uint32_t> b = {};             // and the larger ones
  std::span<const uint64_t> part_names = {};    // of a member of a whole part,
  std::span<const uint32_t> part_members = {};  // and its number
  uint64_t max_centers = 0;                     // max_centers()
};

struct ScannedCenters {
  std::vector<uint32_t> center;  // by document; itself for a center
  // Pairs of documents and centers that parts have brought, and their resemblance.
  std::vector<uint32_t> a;
  std::vector<uint32_t> b;
  std::vector<double> similarity;
};

// Not thread-safe.
class CenterScan {
 public:
  // folder: for its files, which is made and removed. An error of kind usage if it is there
  // already. others: documents that are in no whole part, ascending.
  static Result<std::unique_ptr<CenterScan>> make(const DedupOptions& options,
                                                  const std::string& folder,
                                                  std::span<const uint32_t> others);
  ~CenterScan();
  CenterScan(const CenterScan&) = delete;
  CenterScan& operator=(const CenterScan&) = delete;

  // More documents of whole parts, their numbers greater than those before.
  Status add(DocumentView documents, const SetsView& sets, SignatureView signatures);

  // To be called once, last. An unknown number is an error of kind usage.
  Result<ScannedCenters> run(const CenterScanInput& input);

 private:
  CenterScan(const DedupOptions& options, const std::string& folder,
             std::span<const uint32_t> others);
  Status add_others(uint64_t below);
  Status add_document(uint32_t number, std::span<const uint64_t> set, SignatureView signature);
  Result<uint32_t> row_of(uint32_t number) const;
  Status write_matches(const CenterScanInput& input, const std::string& path, uint64_t& parts);

  const DedupOptions options_;
  ThreadPool pool_{1};
  storage::FileSystem& fs_;
  const jobs::DedupResources resources_;
  std::optional<jobs::DocumentWriter> writer_;
  const std::vector<uint32_t> others_;
  size_t next_other_ = 0;  // the first that does not yet stand here:
  std::vector<uint32_t> documents_;
  std::vector<uint32_t> sizes_;  // by document, of its set
};

}  // namespace kith::distributed
