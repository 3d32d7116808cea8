// Of every stem of a spooled vocabulary the form met most often. Internal to this folder.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kith/status.h"

#include "bags/run.h"
#include "storage/file_system.h"
#include "storage/section_file.h"

namespace kith::bags {

// Sorts a file of surfaces (append_surface) by term and word in runs, and merges these as it is
// asked. Not thread-safe.
class BestForms {
 public:
  // There is no file when `bytes` is 0. Memory: about `memory`. `fs` must outlive this object.
  static Result<BestForms> open(storage::FileSystem& fs, const std::string& path, uint64_t bytes,
                                uint64_t memory);

  // Of the forms of a term the one met most often, of several the first in byte order; empty when
  // there is none. REQUIRES: terms are asked for in ascending order. Valid until the next call.
  Result<std::string_view> of(uint32_t term);
  // Removes the runs.
  Status remove();

 private:
  explicit BestForms(storage::FileSystem& fs) : fs_(&fs) {}
  Status sort(const std::string& path, uint64_t bytes, size_t chunk);
  Status write_run(std::string_view surfaces, const std::string& path, size_t& read);

  storage::FileSystem* fs_;
  std::vector<std::string> runs_;
  std::unique_ptr<RunMerger> merger_;
  std::string key_;
  std::string best_;
};

// Terms in the order in which files have them, by falling count and then by the bytes of the stem,
// sorted on the disk where they do not fit the memory. Internal to this folder.
struct RankedTerm {
  uint64_t count = 0;
  std::string_view stem;
  std::string_view form;  // empty: none is known
  uint32_t number = 0;
};

using TakeTerm = std::function<Status(const RankedTerm& term)>;

// Sorts terms into run files. Not thread-safe.
class TermSorter {
 public:
  // Files are named after `prefix`. Memory: about `memory` bytes. `fs` must outlive this object.
  TermSorter(storage::FileSystem& fs, std::string prefix, uint64_t memory)
      : fs_(&fs), prefix_(std::move(prefix)), memory_(memory) {}

  Status add(const RankedTerm& term);
  // Writes what is left and frees the memory: the run files, of which there may be none.
  Result<std::vector<std::string>> finish();

 private:
  struct Entry {
    uint64_t inverted_count;
    uint64_t begin;  // of its bytes
    uint32_t stem_size;
    uint32_t size;  // of its bytes: the stem, then the rest of its record
  };
  Status write_run();

  storage::FileSystem* fs_;
  std::string prefix_;
  uint64_t memory_;
  std::string bytes_;
  std::vector<Entry> entries_;
  std::vector<std::string> runs_;
};

// Merges runs of TermSorter into one file at `path` and removes them. take() is called for every
// term in order. Memory: about `memory`, but 4 KiB per run at least.
Status merge_terms(storage::FileSystem& fs, std::span<const std::string> runs,
                   const std::string& path, uint64_t memory, const TakeTerm& take);

// Calls take() for every term of a file of merge_terms(), in order.
Status for_each_term(storage::FileSystem& fs, const std::string& path, const TakeTerm& take);

// Two sections, as every file of strings has them: `name`, the bytes of text(term) of all terms of
// such a file, and `name`_at, their offsets.
Status write_term_strings(storage::FileSystem& fs, const std::string& path,
                          storage::SectionWriter& file, const std::string& name,
                          const std::function<std::string_view(const RankedTerm& term)>& text);

}  // namespace kith::bags
