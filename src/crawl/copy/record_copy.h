// A copy of the input without some of its records, in the input's own format and compression.
// docs/formats/copy.md says what stays byte for byte.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kith/rows.h"
#include "kith/status.h"

#include "base/parallel/thread_pool.h"
#include "crawl/read/byte_source.h"
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
// slash. Otherwise `out` is a folder. There a copy has the path that its input has below the
// folder, zip file or tar that was named, and of a file that was named its last part; where two
// would be the same, all have their paths below the folder that all inputs have in common.
//
// Errors: those of PageReader::open; usage where an input is no regular file or is named twice, or
// is packed in a way that is not written, where `out` exists and is not an empty folder, and where
// it lies in a folder that is an input.
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

// A whole record that takes the place of one that is left out, with the line breaks behind it;
// empty: none does. Called by many threads at once. For files of WARC.
using Replacement = std::function<std::string(uint32_t file, uint64_t record)>;

// What a copy has that differs from the input.
struct CopyChanges {
  RemovedRecords removed;
  Replacement replacement = {};
  // Fields that rows have in addition, or in place of their own of these names: of JSON lines and
  // tables. added(file, record) gives those of a row as a JSON object; empty where it has none.
  // Called by many threads at once.
  std::vector<RowColumn> added_columns = {};
  std::function<std::string(uint32_t file, uint64_t record)> added = {};
};

struct CopyReport {
  uint64_t files = 0;  // written; one that is a page, and removed, is not
  uint64_t bytes_in = 0;
  uint64_t bytes_out = 0;
  uint64_t removed = 0;             // records
  uint64_t replaced = 0;            // of these, by another record
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
// The bytes depend on the inputs and the changes only. Memory: some 16 MiB per
// thread, and 150 bytes a removed record of the files at hand. An error (corrupt) where a file does
// not hold a record to be removed: it has changed since it was read. An error when a file cannot be
// read or written.
Result<CopyReport> write_copy(storage::FileSystem& fs, ThreadPool& pool, const CopyPlan& plan,
                              const CopyChanges& changes, const CopyComplete& complete = nullptr);

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

// What of a file is copied: which bytes are left out, and how members are packed again.

// What has to be cut out of a file so that some of its records are gone.

// Positions [begin, end).
struct Extent {
  uint64_t begin = 0;
  uint64_t end = 0;
  uint64_t record = 0;  // of what is cut out: its number
};

// Hears the layout of one file and notes where the records to be removed lie. Memory follows their
// number, not the size of the file. Not thread-safe.
//
// A broken member is one whole that nobody can write again, so a record that lies in it, even in
// part, is not removed; neither is one that alone tells where the broken record before it ends.
class FileCuts : public LayoutLog {
 public:
  // A member, or several in a row, with bytes of records to be removed; several only where all
  // their bytes belong to one such record.
  struct Touched {
    MemberExtent members;
    size_t cut = 0;  // the first of the cuts that overlap it, while the file is read
  };

  // `records` ascend, each once, and outlive the object.
  explicit FileCuts(std::span<const uint64_t> records) : records_(records) {}

  void member_ended(const MemberExtent& member, uint64_t position) override;
  void record_begins(uint64_t record, uint64_t position) override;
  void record_ended(uint64_t position) override;
  void record_needs_next() override;

  // To be called once, at the end of the file, and before all below.
  void finish();

  // True when every record to be removed was there.
  bool has_met_all() const { return next_ == records_.size(); }
  // Records that stay because a broken member holds some of their bytes, or as they are needed.
  uint64_t kept_by_damage() const { return kept_by_damage_; }
  // The removed records, as positions among the unpacked bytes, in order.
  const std::vector<Extent>& cuts() const { return cuts_; }
  // In order; also members whose records turned out to stay. Empty for a plain file.
  const std::vector<Touched>& touched() const { return touched_; }

 private:
  static constexpr uint64_t kOpen = std::numeric_limits<uint64_t>::max();

  void settle(uint64_t position);
  void decide(const MemberExtent& member);

  std::span<const uint64_t> records_;
  size_t next_ = 0;                   // of records_
  std::vector<Extent> cuts_;          // the last one may be open
  std::deque<MemberExtent> pending_;  // unpacked, but not passed by the reader
  size_t first_cut_ = 0;              // the first one that ends behind the members decided
  std::vector<Touched> touched_;
  bool next_is_needed_ = false;
  uint64_t kept_by_damage_ = 0;
};

// One file of a copy: what record_copy.h is made of.

// Where the files of a folder stand until all are complete.
inline constexpr std::string_view kUnfinishedFolder = ".kith-unfinished";

// Appends to `to` the bytes of `file` without the records `removed` (ascending, each once), and
// adds to the counts of `report`. The file is WARC, ARC, JSONL, CSV or a table. Errors as of
// write_copy.
Status copy_without(storage::FileSystem& fs, const InputFile& file,
                    std::span<const uint64_t> removed, const CopyChanges& changes,
                    storage::WritableFile& to, CopyReport& report);

// The same of JSON lines with added fields. A line is held as a whole. An error of kind corrupt
// where the file is damaged: what cannot be read cannot be written again.
Status copy_with_fields(const InputFile& file, std::span<const uint64_t> removed,
                        const CopyChanges& changes, storage::WritableFile& to, CopyReport& report);

// The JSON object `line`, perhaps with blanks and a line end around it, with the members of the
// object `added` at its end; its own members of the same names are left out.
std::string with_members(std::string_view line, std::string_view added);

}  // namespace kith::crawl
