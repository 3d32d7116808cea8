// Of every stem of a spooled vocabulary the form met most often. Internal to this folder.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kith/status.h"

#include "bags/run_merger.h"
#include "storage/file_system.h"

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

}  // namespace kith::bags
