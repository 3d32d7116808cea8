// An earlier run of `kith dedup`, with whose documents the new ones are compared (--against). Its
// input is not read again: its documents, names, shingles and sketches are.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kith/dedup.h"
#include "kith/status.h"

#include "jobs/dedup/directory.h"
#include "jobs/dedup/document_table.h"
#include "storage/file_system.h"

namespace kith::jobs {

// The documents of an earlier run, opened. Immutable, thread-safe.
struct EarlierDocuments {
  DocumentTable table;
  std::vector<uint32_t> distinct;  // of equal ones the first; none without elements; ascending
};

// Whether the documents of a run are compared by their sketches, and not by their elements alone.
inline bool needs_sketches(const DedupOptions& options) {
  return options.method == DedupMethod::minhash && options.similarity < 1;
}

// Immutable, thread-safe.
class EarlierRun {
 public:
  // Reads manifest and report only. Errors: there is no finished run; one of kind usage, which
  // names the option and both values, where elements or sketches of the two runs are not
  // comparable, or where the run is the output itself.
  static Result<EarlierRun> open(storage::FileSystem& fs, const std::string& path,
                                 const DedupOptions& options);

  const std::string& path() const { return run_.path(); }
  // Path and checksum of the documents: changes when the documents do.
  std::string identity() const;

  // The checksum of the shingles that it has dropped; empty when it has dropped none.
  std::string common() const;

  // Makes the file of these stand at `path` too. REQUIRES: max_documents of the options.
  Status share_common(const std::string& path) const;

  // Reads all files that are used, compares them with their checksums, and opens them; the error
  // names the file. What was read is released.
  Result<EarlierDocuments> documents() const;

 private:
  EarlierRun(storage::FileSystem& fs, DedupDirectory run, bool sketches)
      : fs_(&fs), run_(std::move(run)), sketches_(sketches) {}
  Status verify() const;

  storage::FileSystem* fs_;
  DedupDirectory run_;
  bool sketches_;
};

// Those of options.against, in their order. Errors as of EarlierRun::open; usage where one is named
// twice.
Result<std::vector<EarlierRun>> open_earlier_runs(storage::FileSystem& fs,
                                                  const DedupOptions& options);

}  // namespace kith::jobs
