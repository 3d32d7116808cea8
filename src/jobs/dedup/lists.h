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
#include "jobs/dedup/group_index.h"
#include "jobs/dedup/groups.h"
#include "jobs/dedup/loss.h"
#include "jobs/dedup/match.h"
#include "jobs/dedup/read.h"
#include "run/stage_files.h"
#include "similar/sets/set_pairs.h"
#include "storage/file_system.h"

namespace kith::jobs {

// What `kith dedup` leaves for people and pipes: groups, pairs and the documents to keep, as text.

// Writes groups, pairs and keep to the folder `path`, in options.format (docs/formats/dedup.md),
// and with options.against what is removed against earlier runs; removes those of other formats.
// Returns the checksums of what it has written, by the names of the files: XXH3-64.
Result<run::Checksums> write_lists(storage::FileSystem& fs, const std::string& path,
                                   const DocumentTable& documents, const Against& against,
                                   const Matches& matches, const Groups& groups,
                                   const GroupIndex& index, const Losses& losses,
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
