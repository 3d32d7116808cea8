// What a vocabulary writes when it has no more room in memory. Internal to src/bags.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kith/status.h"

#include "base/parallel/thread_pool.h"
#include "storage/file_system.h"

namespace kith::bags {

// A stem and the number that it was given.
struct NumberedStem {
  std::string_view stem;
  uint32_t id;
};

// Thread-safe. After an error nothing more is written; status() has it.
class VocabularySpool {
 public:
  // The parts of a vocabulary; a stem is always of the same one.
  static constexpr unsigned shards = 64;

  // Files are named after `prefix`, and removed by the caller. `fs` must outlive this object.
  VocabularySpool(storage::FileSystem& fs, std::string prefix)
      : fs_(&fs), prefix_(std::move(prefix)) {}

  // Writes a run of the stems of a shard. REQUIRES: they ascend, each stands once.
  void add_stems(unsigned shard, std::span<const NumberedStem> stems);
  // Writes words as they were met: append_surface() of each.
  void add_surfaces(std::string_view surfaces);

  bool empty() const { return !used_; }
  Status status() const { return error_.status(); }
  bool failed() const { return error_.failed(); }

  // To be called when nobody adds any more: run files of a shard, and the file of surfaces, which
  // is missing where there are none.
  const std::vector<std::string>& runs(unsigned shard) const { return runs_[shard]; }
  std::string surfaces_path() const { return prefix_ + "surfaces"; }
  uint64_t surface_bytes() const { return surface_bytes_; }

 private:
  storage::FileSystem* fs_;
  std::string prefix_;
  FirstError error_;
  std::mutex mutex_;
  std::array<std::vector<std::string>, shards> runs_;
  uint64_t surface_bytes_ = 0;
  bool used_ = false;
};

// A word that has the stem of a number, and how often it was met.
struct Surface {
  uint32_t term = 0;
  std::string_view word;
  uint64_t count = 0;
};
void append_surface(const Surface& surface, std::string& bytes);
// Reads one from the front of `cursor`; false when the bytes are none.
class SurfaceReader {
 public:
  explicit SurfaceReader(std::string_view bytes) : bytes_(bytes) {}
  // The next one; false at the end, and where what is left is no whole one.
  bool next(Surface& surface);
  size_t read() const { return read_; }  // bytes

 private:
  std::string_view bytes_;
  size_t read_ = 0;
};

}  // namespace kith::bags
