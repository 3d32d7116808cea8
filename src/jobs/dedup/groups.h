// The third stage of `kith dedup`: groups of near-duplicates, and which document of each is kept.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "kith/dedup.h"
#include "kith/progress.h"
#include "kith/status.h"

#include "cluster/clustering.h"
#include "jobs/dedup/document_table.h"
#include "jobs/dedup/keep.h"
#include "jobs/dedup/match.h"
#include "storage/section_file.h"

namespace kith::jobs {

inline constexpr storage::FileKind groups_kind{"grps", 2};

// Immutable, thread-safe.
class Groups {
 public:
  static Result<Groups> open(storage::FileSystem& fs, const std::string& path, uint32_t documents);

  // By document: the one of its group that is kept; the document itself if that is it, or alone.
  std::span<const uint32_t> kept() const { return kept_; }
  // The center of its group, with CENTER; the lowest id of it, with components.
  std::span<const uint32_t> center() const { return center_; }
  // The elements that it shares with the one that is kept.
  std::span<const uint32_t> common() const { return common_; }
  // Pairs of a center and another document that whole parts brought: representatives, a < b,
  // ascending. With components some may be among Matches::pairs() too.
  std::span<const similar::SetPair> center_pairs() const { return center_pairs_; }
  // Whether a part of what these are views of is what was written.
  template <class T>
  Status check(std::span<const T> part) const {
    return file_.check(part);
  }
  // See SectionFile.
  Status check_size() const { return file_.check_size(); }
  // What was read of them will not be read for a while.
  void release() const { file_.release(); }

 private:
  storage::SectionFile file_;
  std::span<const uint32_t> kept_;
  std::span<const uint32_t> center_;
  std::span<const uint32_t> common_;
  std::span<const similar::SetPair> center_pairs_;
};

// Counts components of representatives, with all that these stand for.
GroupCounts count_components(cluster::Components& components,
                             std::span<const uint32_t> representative);

// The order in which documents become centers: rank[id], from 0. By degree, that is by the pairs of
// a document, and the other members of the largest whole part that it is in.
std::vector<uint32_t> center_ranks(const DocumentTable& documents, const Matches& matches,
                                   const DedupOptions& options);

// The one of each group that stays: for every document, by the centers of all.
std::vector<uint32_t> choose_kept(const Preference& preferred, std::span<const uint32_t> center);

// Writes the groups file to `path` and fills what the report says of it. `progress` is told first
// how many comparisons with centers there may be, where they may take long.
Status write_groups(const std::string& path, const DocumentTable& documents, const Against& against,
                    const Matches& matches, const DedupOptions& options,
                    const DedupResources& resources, DedupReport& report,
                    const ProgressCallback& progress);

}  // namespace kith::jobs
