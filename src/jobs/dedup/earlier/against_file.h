// Which documents are removed because an earlier run of `kith dedup` has one like it, and which one
// (docs/formats/dedup.md).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kith/status.h"

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

}  // namespace kith::jobs
