// What of a file is copied: which bytes are left out, and how members are packed again.
#pragma once

#include <cstdint>
#include <deque>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include "kith/status.h"

#include "crawl/copy/record_copy.h"
#include "crawl/read/byte_source.h"
#include "crawl/read/inputs.h"
#include "storage/file_system.h"

namespace kith::crawl {

// What has to be cut out of a file so that some of its records are gone.

// Positions [begin, end).
struct Extent {
  uint64_t begin = 0;
  uint64_t end = 0;
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
// adds to the counts of `report`. The file is WARC, ARC or JSONL. Errors as of write_copy.
Status copy_without(storage::FileSystem& fs, const InputFile& file,
                    std::span<const uint64_t> removed, storage::WritableFile& to,
                    CopyReport& report);

}  // namespace kith::crawl
