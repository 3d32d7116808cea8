// A model's bags as a run directory whose bags stage is finished, written front to back.
#pragma once

#include <cstdint>
#include <string>

#include "kith/report.h"
#include "kith/status.h"

#include "storage/file_system.h"
#include "synthetic/model.h"

namespace kith::synthetic {

// Writes urls.kith, titles.kith (no title), terms.kith, bags.kith, manifest.json and report.json
// into `directory` as `kith cluster` does after its bags stage, so that `kith cluster DIRECTORY
// -o RUN` goes on from there. The weights come from the same code. A finished directory of the
// same options is left as it is (the truth is written all the same); one that holds anything else
// is an error.
//
// `truth_path`, unless it is empty, becomes a TSV file of labels for `kith evaluate`:
//   url, package (the site), topic (GROUP/.../TOPIC/SUBTOPIC), family (SITE/NUMBER or -), copy_of
//   (the number of a URL, from 0 in the order of the file, or -)
//
// The *.kith files and the truth are functions of the options. Memory: some 30 bytes per URL in
// the merge of bags, and 60 bytes per word of the vocabulary. Disk: while it runs, about 90 bytes
// a URL more than in the end.
Result<Report> write_collection(storage::FileSystem& fs, const std::string& directory,
                                const ModelOptions& options, const std::string& truth_path);

}  // namespace kith::synthetic
