// The fragments of partition files, as many at a time as there is room for. Internal to this
// folder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kith/status.h"

#include "storage/file_system.h"

namespace kith::bags {

// Reads files of fragments one behind the other, a file being open only while it is read. Not
// thread-safe.
class FragmentChunks {
 public:
  // Memory: about chunk_bytes, more only for a larger fragment. `fs` must outlive this object.
  FragmentChunks(storage::FileSystem& fs, std::vector<std::string> paths, size_t chunk_bytes);

  // The next whole fragments, valid until the next call; empty at the end. Bytes that are no
  // fragments are an error of kind corrupt: the files are those of this very run.
  Result<std::string_view> next();

 private:
  Status fill();

  storage::FileSystem* fs_;
  std::vector<std::string> paths_;
  size_t chunk_bytes_;
  size_t path_ = 0;        // that is read
  uint64_t position_ = 0;  // in it
  std::string buffer_;
  size_t given_ = 0;  // bytes of the buffer that the last call gave
};

}  // namespace kith::bags
