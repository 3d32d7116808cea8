// A copy of the input without some of its records, in the input's own format and compression.
// docs/formats/copy.md says what stays byte for byte.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "kith/status.h"

#include "base/parallel/thread_pool.h"
#include "crawl/read/inputs.h"
#include "crawl/read/page_reader.h"
#include "storage/file_system.h"

namespace kith::crawl {

// One file to be copied.
struct PlannedCopy {
  InputFile file;
  std::string name;  // of the copy: its path below CopyPlan::out; empty when `out` is the copy
};

// Which files the copy has, and under which names.
struct CopyPlan {
  std::string out;
  bool is_folder = true;  // otherwise `out` is the copy of the only file
  std::vector<PlannedCopy> files;
};

// Lists the inputs as PageReader does (options.share aside) and names the copies. Changes nothing.
//
// A single input that is a file is copied to `out` itself, unless that is a folder or ends in a
// slash. Otherwise `out` is a folder. There a copy has the path that its input has below the folder
// that was named, and of a file that was named its last part; where two would be the same, all
// have their paths below the folder that all inputs have in common.
//
// Errors: those of PageReader::open; usage where an input is no regular file or is named twice,
// where `out` exists and is not an empty folder, and where it lies in a folder that is an input.
Result<CopyPlan> plan_copy(const CrawlOptions& options, const std::string& out);

// One file of a copy.
struct CopiedFile {
  std::string name;      // as in PlannedCopy, escaped as a TSV field
  uint64_t bytes = 0;    // of the copy
  std::string checksum;  // XXH3-64 of them, 16 hexadecimal digits
};

// The records of file number `file` (Page::file) to be left out, by Page::record, ascending, each
// once. Called once a file, by many threads at once.
using RemovedRecords = std::function<Result<std::vector<uint64_t>>(uint32_t file)>;

struct CopyReport {
  uint64_t files = 0;  // written; one that is a page, and removed, is not
  uint64_t bytes_in = 0;
  uint64_t bytes_out = 0;
  uint64_t removed = 0;             // records
  uint64_t kept_by_damage = 0;      // that were to be removed, but lie in a broken member
  uint64_t packed_again = 0;        // members that lost a part of their records
  std::vector<CopiedFile> written;  // by name
};

// Called when all files are complete on the disk, and none stands at its place yet: so that what is
// about to be moved there can be known again. An error ends the copy.
using CopyComplete = std::function<Status(const CopyReport& report)>;

// Writes the copies, a file per thread. What stands under their names is complete: they are written
// beside, synced and renamed, those of a folder when all are complete. After an error nothing is
// left but, perhaps, the empty folder.
//
// The bytes depend on the inputs and on `removed` only. Memory: some 16 MiB per thread, and 150
// bytes a removed record of the files at hand. An error (corrupt) where a file does not hold a
// record to be removed: it has changed since it was read. An error when a file cannot be read or
// written.
Result<CopyReport> write_copy(storage::FileSystem& fs, ThreadPool& pool, const CopyPlan& plan,
                              const RemovedRecords& removed,
                              const CopyComplete& complete = nullptr);

// What stands of an earlier copy at its place.
enum class CopyState : uint8_t {
  absent,
  partial,  // a run was ended while it moved the files there
  whole,
};

// Looks for the files of a copy at `out`, a folder or the copy itself, and compares their
// checksums. An error of kind usage where something else stands there, or a file was changed.
Result<CopyState> find_copy(storage::FileSystem& fs, const std::string& out, bool is_folder,
                            std::span<const CopiedFile> files);

// Removes what a run that was ended has left beside the files of a copy.
Status remove_unfinished(storage::FileSystem& fs, const std::string& out, bool is_folder);

// Removes what stands there. REQUIRES: find_copy() has found the copy, or a part of it.
Status remove_copy(storage::FileSystem& fs, const std::string& out, bool is_folder);

}  // namespace kith::crawl
