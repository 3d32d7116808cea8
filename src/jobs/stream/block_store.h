// Blocks of bytes of a stream, in memory or, but for the newest, in a file.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "kith/status.h"

#include "base/bytes.h"
#include "storage/file_system.h"

namespace kith::jobs {

// The file of a store could not be read: ends the call, which answers with an error of kind io
// (run/guarded.h).
struct ReadFailure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Blocks stand side by side in chunks. A chunk is freed with its last block; other free space is
// freed by copying the blocks that are left into a fresh() store. Not thread-safe while it changes.
class BlockStore {
 public:
  // alignment: of blocks in memory, a power of two up to that of new.
  explicit BlockStore(size_t alignment) : alignment_(alignment) {}

  // From now on full chunks lie in one of files(name), but for `tail` bytes at most. Where they
  // cannot be written they stay in memory. The file goes with the store.
  // REQUIRES: it is empty; the file system outlives it.
  void keep_in(storage::FileSystem& fs, const std::string& name, uint64_t tail);
  // The files that a store of that name may have.
  static std::array<std::string, 2> files(const std::string& name);
  // An empty store that keeps its blocks likewise.
  BlockStore fresh() const;

  // Adds a block of two pieces; where it is.
  uint64_t add(Bytes head, Bytes rest);
  // bytes: the size of the block.
  void remove(uint64_t place, uint64_t bytes);

  // Where a block begins, until the store changes; null when it lies in the file.
  const std::byte* find(uint64_t place) const;
  // Of a block in the file as many bytes as there are room for and bytes of its chunk. Throws
  // ReadFailure.
  size_t read(uint64_t place, std::span<std::byte> out) const;

  // In memory.
  uint64_t bytes() const { return bytes_; }
  // Whether most of what is taken, here or in the file, holds no block.
  bool is_sparse() const { return bytes_ + file_bytes_ > 2 * block_bytes_ + slack; }

 private:
  static constexpr uint64_t chunk_bytes = 64 << 10;
  static constexpr uint64_t slack = 4 * chunk_bytes;

  // A block that is larger has a chunk of its own, which takes the numbers of several.
  struct Chunk {
    std::unique_ptr<std::byte[]> memory;
    uint64_t size = 0;
    uint64_t file_at = 0;  // where it begins in the file, when it is not in memory
    uint64_t blocks = 0;
  };
  // Closes and removes the file.
  struct File {
    File(storage::FileSystem& files, std::string at) : fs(&files), path(std::move(at)) {}
    ~File();
    File(const File&) = delete;
    File& operator=(const File&) = delete;
    storage::FileSystem* fs;
    std::string path;
    std::unique_ptr<storage::WritableFile> writer;
    std::unique_ptr<storage::ReadableFile> reader;
  };

  void begin_chunk(uint64_t least);
  void free_chunk(Chunk& chunk);
  void spill();
  Status write_chunks();

  size_t alignment_;
  storage::FileSystem* fs_ = nullptr;
  std::string name_;
  uint64_t tail_ = UINT64_MAX;
  bool is_stuck_ = false;  // the file could not be written
  uint32_t generation_ = 0;
  std::unique_ptr<File> file_;
  std::vector<Chunk> chunks_;
  uint64_t end_ = 0;         // where the next block would begin
  uint64_t current_ = 0;     // the chunk that is being filled
  uint64_t first_here_ = 0;  // chunks before are free, or in the file
  uint64_t bytes_ = 0;
  uint64_t file_bytes_ = 0;   // written to the file
  uint64_t block_bytes_ = 0;  // of all blocks
};

}  // namespace kith::jobs
