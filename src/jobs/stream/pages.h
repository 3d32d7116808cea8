// The pages that a stream remembers, and the blocks of its file that hold them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kith/status.h"

#include "base/bytes.h"
#include "base/hash.h"
#include "jobs/stream/features.h"
#include "storage/file_system.h"

namespace kith::jobs {

// Blocks of bytes of a stream, in memory or, but for the newest, in a file.

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

// Entries that are known by a number and stay where they are.

// Numbers of entries that went are given again. Not thread-safe while it changes.
template <class Entry>
class Places {
 public:
  Entry& operator[](uint32_t place) { return chunks_[place / per_chunk][place % per_chunk]; }
  const Entry& operator[](uint32_t place) const {
    return chunks_[place / per_chunk][place % per_chunk];
  }
  // Entries that are there.
  uint64_t size() const { return end_ - free_.size(); }

  // REQUIRES: size() < 2^32 - 1.
  uint32_t add(Entry entry) {
    uint32_t place = end_;
    if (free_.empty()) {
      if (end_ % per_chunk == 0) chunks_.push_back(std::make_unique<Entry[]>(per_chunk));
      ++end_;
    } else {
      place = free_.back();
      free_.pop_back();
    }
    (*this)[place] = std::move(entry);
    return place;
  }
  // What stands there is an entry by default.
  void remove(uint32_t place) {
    (*this)[place] = Entry();
    free_.push_back(place);
  }

  // The numbers of all entries are below.
  uint32_t end() const { return end_; }
  uint64_t bytes() const {
    return chunks_.size() * per_chunk * sizeof(Entry) + free_.capacity() * sizeof(uint32_t);
  }

 private:
  static constexpr uint32_t per_chunk = 1024;

  std::vector<std::unique_ptr<Entry[]>> chunks_;
  std::vector<uint32_t> free_;
  uint32_t end_ = 0;
};

// The documents of a stream that are known, by name and by place.
inline constexpr uint32_t nobody = UINT32_MAX;

struct PageEntry {
  static constexpr uint64_t nowhere = UINT64_MAX;
  uint64_t name = nowhere;      // where it is kept; nowhere: the place is free
  uint64_t features = nowhere;  // likewise, or nowhere; a single one stands here itself
  uint32_t cluster = nobody;
  // Of the leader of a cluster: where the list of its other members is, or nobody. Of these: their
  // place in the list (ClusterTable).
  uint32_t link = nobody;
};

// Places of documents that went are used again. Not thread-safe while it changes.
class PageTable {
 public:
  // keeps_times: whether times are known; else they are 0.
  explicit PageTable(bool keeps_times) : keeps_times_(keeps_times) {}

  // From now on features lie in a file, but for the newest (BlockStore::keep_in). REQUIRES: no
  // document was added.
  void keep_features_in(storage::FileSystem& fs, const std::string& name, uint64_t tail) {
    features_.keep_in(fs, name, tail);
  }

  PageEntry& operator[](uint32_t page) { return entries_[page]; }
  const PageEntry& operator[](uint32_t page) const { return entries_[page]; }
  uint64_t size() const { return by_name_.size(); }

  // Valid until a document is added or removed.
  std::string_view name(uint32_t page) const { return kept_name(page).text; }
  // Throws ReadFailure.
  LoadedFeatures features(uint32_t page) const;
  // ms, as the stream took it.
  int64_t time(uint32_t page) const { return keeps_times_ ? times_[page] : 0; }

  std::optional<uint32_t> find(std::string_view name) const;
  // REQUIRES: the name is unknown; fewer than 2^32 - 1 documents; neither is of this table.
  uint32_t add(std::string_view name, Features features, int64_t time);
  void remove(uint32_t page);
  // Frees the memory and the file space of documents that went, where that is more than half.
  void tidy();

  uint64_t bytes() const;

 private:
  // Where features are.
  enum class Kind : uint8_t { none, single, many };
  struct KeptName {
    std::string_view text;
    Kind features;
    uint64_t bytes;  // of the block
  };

  KeptName kept_name(uint32_t page) const;
  uint64_t features_bytes(uint32_t page) const;
  template <class HasBlock, class Copy>
  void move_blocks(BlockStore& store, uint64_t PageEntry::*place, HasBlock&& has_block,
                   Copy&& copy);
  void copy_names();
  void copy_features();

  bool keeps_times_;
  Places<PageEntry> entries_;
  std::deque<int64_t> times_;  // by page
  TagTable by_name_;
  BlockStore names_{1};
  BlockStore features_{alignof(uint64_t)};
};

}  // namespace kith::jobs
