// What `kith dedup` leaves for people and pipes: groups, pairs and the documents to keep, as text.
#pragma once

#include <string>

#include "kith/dedup.h"
#include "kith/status.h"

#include "pipeline/against_file.h"
#include "pipeline/dedup_groups.h"
#include "pipeline/dedup_match.h"
#include "pipeline/dedup_resources.h"
#include "pipeline/document_table.h"
#include "storage/file_system.h"

namespace kith::pipeline {

// Writes groups, pairs and keep to the folder `path`, as .tsv or .jsonl (docs/formats/dedup.md),
// and with options.against what is removed against earlier runs; removes those of the other format.
Status write_lists(storage::FileSystem& fs, const std::string& path, const DocumentTable& documents,
                   const Against& against, const Matches& matches, const Groups& groups,
                   const DedupOptions& options, const DedupResources& resources);

// Removes what a run that was killed has left of lists under temporary names.
Status remove_list_temporaries(storage::FileSystem& fs, const std::string& path);

}  // namespace kith::pipeline
