// Which documents are removed because an earlier run of `kith dedup` has one like it, and which one
// (docs/formats/dedup.md): the stage of --against.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kith/dedup.h"
#include "kith/progress.h"
#include "kith/status.h"

#include "jobs/dedup/directory.h"
#include "jobs/dedup/document_table.h"
#include "jobs/dedup/read.h"
#include "storage/file_system.h"
#include "storage/section_file.h"
#include "storage/string_table.h"

namespace kith::jobs {

inline constexpr storage::FileKind against_kind{"agst", 1};

// A row of the file, part of its format.
struct EarlierMatch {
  uint32_t document = 0;  // that is removed
  uint32_t run = 0;       // number of the earlier run
  uint32_t match = 0;     // its document that is most like it
  uint32_t size = 0;      // elements of the match
  uint32_t common = 0;    // elements that both have; 0: there is no match
};
static_assert(sizeof(EarlierMatch) == 20);

// Writes the file. Not thread-safe. Holds 8 bytes per row.
class AgainstWriter {
 public:
  static Result<AgainstWriter> create(storage::FileSystem& fs, const std::string& path);
  // By ascending document; `name` is that of the match.
  Status add(const EarlierMatch& match, std::string_view name);
  Status finish();

 private:
  AgainstWriter(storage::SectionWriter file) : file_(std::move(file)) {}

  storage::SectionWriter file_;
  std::vector<EarlierMatch> rows_;
  std::vector<uint64_t> names_at_{0};
};

// Immutable, thread-safe. Without a file, as a run without --against has none, nothing is removed.
class Against {
 public:
  Against() = default;
  // documents: of this run; runs: earlier ones.
  static Result<Against> open(storage::FileSystem& fs, const std::string& path, uint32_t documents,
                              size_t runs);

  std::span<const EarlierMatch> rows() const { return rows_; }  // ascending by document
  // The name of the match of a row.
  std::string_view name(size_t row) const { return names_[row]; }
  // See SectionFile.
  Status check_size() const { return rows_.empty() ? Status::ok() : file_.check_size(); }
  // Whether the row, and the name of its match, are what was written.
  Status check(size_t row) const {
    KITH_TRY(file_.check(rows_.subspan(row, 1)));
    return names_.check(file_, row);
  }
  bool removed(uint32_t document) const { return !removed_.empty() && removed_[document]; }

  // Makes documents that are removed equal to no other, and takes them out of `ids`.
  void leave_out(std::vector<uint32_t>& representative, std::vector<uint32_t>& ids) const;

 private:
  storage::SectionFile file_;
  std::span<const EarlierMatch> rows_;
  storage::StringArray names_;
  std::vector<bool> removed_;  // by document
};

// An earlier run of `kith dedup`, with whose documents the new ones are compared (--against). Its
// input is not read again: its documents, names, shingles and sketches are.

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

// Finds for every document the one of all earlier runs that it resembles most, if it resembles it
// enough: of equally similar ones that of the first run, and there the first. Documents of earlier
// runs count whether these have kept them or not. Writes the against file to `path` and fills what
// the report says of it, the check too. The result is the same for any memory and threads.
Status write_against(const std::string& path, const DocumentTable& documents,
                     std::span<const EarlierRun> runs, const DedupOptions& options,
                     const DedupResources& resources, DedupReport& report,
                     const ProgressCallback& progress);

}  // namespace kith::jobs
