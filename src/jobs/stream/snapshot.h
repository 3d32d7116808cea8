// The state of a stream as one file (docs/formats/stream.md).
#pragma once

#include <string>
#include <string_view>

#include "kith/status.h"
#include "kith/stream.h"

#include "jobs/stream/engine.h"
#include "jobs/stream/log.h"
#include "storage/file_system.h"
#include "storage/section_file.h"

namespace kith::jobs {

inline constexpr storage::FileKind snapshot_kind{"strm", 4};

// Replaces the file at `path`.
Status write_snapshot(storage::FileSystem& fs, const std::string& path, const Engine& engine,
                      const StoredProgress& progress);

// A snapshot that was opened: its head is sound.
class Snapshot {
 public:
  // Errors of kind not_found and corrupt.
  static Result<Snapshot> open(storage::FileSystem& fs, const std::string& path);

  const SnapshotHead& head() const { return head_; }
  // Reads clusters and documents into an empty engine with the options of the head, but for memory.
  // Checks everything.
  Status read(Engine& engine) const;

 private:
  storage::SectionFile file_;
  SnapshotHead head_;
};

}  // namespace kith::jobs
