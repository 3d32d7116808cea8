// The lists of `kith dedup`: who is kept, removed, similar, and in which group.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "kith/dedup.h"
#include "kith/status.h"

#include "jobs/dedup/document_table.h"
#include "jobs/dedup/earlier/earlier_run.h"
#include "jobs/dedup/groups.h"
#include "jobs/dedup/match.h"
#include "jobs/dedup/read.h"
#include "run/stage_files.h"
#include "similar/sets/set_pairs.h"
#include "storage/file_system.h"

namespace kith::jobs {

// Which groups there are, and who belongs to each.

// The groups of two documents or more: the largest first, of equal ones that whose kept document
// comes first. Immutable, thread-safe. Holds 8 bytes a group, and at most 8 a document.
class GroupIndex {
 public:
  GroupIndex() = default;
  // kept: by document, the one of its group that stays.
  explicit GroupIndex(std::span<const uint32_t> kept);

  uint64_t size() const { return begins_.size() - 1; }
  // The documents of a group: the one that is kept, then the others in input order. REQUIRES:
  // number < size().
  std::span<const uint32_t> operator[](uint64_t number) const {
    return std::span(ids_).subspan(begins_[number], begins_[number + 1] - begins_[number]);
  }
  // The number of the group whose kept document this is; size() if there is none.
  uint64_t find(uint32_t kept) const {
    return numbers_[kept] == none ? size() : uint64_t{numbers_[kept]};
  }

 private:
  static constexpr uint32_t none = UINT32_MAX;

  std::vector<uint32_t> ids_;        // group by group
  std::vector<uint64_t> begins_{0};  // of each group, and the end
  std::vector<uint32_t> numbers_;    // of groups, by their kept document
};

// What `kith dedup` leaves for people and pipes: groups, pairs and the documents to keep, as text.

// Writes groups, pairs and keep to the folder `path`, in options.format (docs/formats/dedup.md),
// and with options.against what is removed against earlier runs; removes those of other formats.
// Returns the checksums of what it has written, by the names of the files: XXH3-64.
Result<run::Checksums> write_lists(storage::FileSystem& fs, const std::string& path,
                                   const DocumentTable& documents, const Against& against,
                                   const Matches& matches, const Groups& groups,
                                   const DedupOptions& options, const DedupResources& resources);

// Calls take(pair) for every pair of the list of pairs, ascending, until that fails; but for those
// of documents with equal elements (Matches::representative), which end the list.
Status for_each_listed_pair(const DocumentTable& documents, const Matches& matches,
                            const Groups& groups, const DedupOptions& options,
                            const DedupResources& resources,
                            const std::function<Status(const similar::SetPair&)>& take);

// Whether the lists are those that were written: an error of kind corrupt names one that is
// missing, or was changed.
Status verify_lists(storage::FileSystem& fs, const std::string& path,
                    const run::Checksums& expected);

// Removes what a run that was killed has left of lists under temporary names.
Status remove_list_temporaries(storage::FileSystem& fs, const std::string& path);

}  // namespace kith::jobs
