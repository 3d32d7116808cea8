// LSH tables in memory that signatures are added to one by one: in little memory where many share a
// key, and such that a look-up reads a bounded number of entries.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/hash.h"
#include "base/stores.h"
#include "sketch/lsh/tables.h"

namespace kith::sketch {

// The entries of all tables lie in the cells of one hash table. It grows a cell at a time (Litwin,
// Linear hashing: a new tool for file and table addressing, 1980), so that no call takes long. A
// cell is a chain of blocks of a cache line, of which all but the first are full: 7 to 10 bytes an
// entry. Keys are known by 28 of their bits, however large the table is: of signatures without a
// common key l^2 / 2^28 meet by chance as well, in l tables. Not thread-safe while a signature is
// added; else any number of threads may ask.
class ChainedTables {
 public:
  explicit ChainedTables(const TableParams& params);

  uint32_t size() const { return size_; }
  const TableParams& params() const { return tables_.params(); }

  // Adds a signature; its id is the size before. Where there is no memory, std::bad_alloc and all
  // as before. REQUIRES: size() < 2^32 - 1.
  void add(std::span<const uint16_t> signature);
  // Calls visit(id) for the ids that share a key with the signature, once for each such key, in no
  // order.
  template <class Visit>
  void find(std::span<const uint16_t> signature, Visit&& visit) const;

  uint64_t bytes() const { return cells_.bytes() + blocks_.bytes(); }

 private:
  static constexpr uint32_t per_block = 10;
  // Entries are found by the number of their cell and by their tags, which have the bits of the key
  // from `least_bits` on: together `key_bits`.
  static constexpr uint32_t least_bits = 12;
  static constexpr uint32_t key_bits = 28;
  // More would take less memory and more time: a look-up reads the whole chain.
  static constexpr uint64_t per_cell = 24;

  struct Block {
    uint32_t taken[per_block];  // 0: free; else the id, plus one
    uint16_t tags[per_block];
    uint32_t next;  // 0: none; else the number of the next block, plus one
  };
  static_assert(sizeof(Block) == 64);
  // A chain that is walked along.
  struct Walk {
    const Block* block;
    uint16_t tag;
  };

  static uint16_t tag_of(uint64_t key) { return static_cast<uint16_t>(key >> least_bits); }
  // Cells from the one that is split next on have not been: they go by one bit less.
  uint64_t cell_of(uint64_t key) const {
    const uint64_t whole = std::bit_floor(cell_count_);
    const uint64_t cell = key & (2 * whole - 1);
    return cell < cell_count_ ? cell : cell - whole;
  }
  void put(uint64_t cell, uint32_t taken, uint16_t tag);
  void split_next();
  uint32_t take_block();

  Tables tables_;
  uint32_t size_ = 0;
  RowChunks<Block> cells_{1};
  RowChunks<Block> blocks_{1};  // the others of their chains
  uint64_t cell_count_ = uint64_t{1} << least_bits;
  uint32_t blocks_end_ = 0;
  uint32_t free_ = 0;  // a list of free blocks, as Block::next
};

template <class Visit>
void ChainedTables::find(std::span<const uint16_t> signature, Visit&& visit) const {
  std::array<uint64_t, tables_limit> key_room;
  std::array<Walk, tables_limit> walks;
  size_t open = params().tables;
  const std::span<uint64_t> keys = std::span(key_room).first(open);
  tables_.keys(signature, keys);
  for (size_t table = 0; table < open; ++table) {
    walks[table] = {cells_[cell_of(keys[table])], tag_of(keys[table])};
    __builtin_prefetch(walks[table].block);
  }
  // Side by side, so that the memory works on all chains at a time.
  while (open > 0) {
    for (size_t i = 0; i < open;) {
      const Block& block = *walks[i].block;
      if (block.next != 0) __builtin_prefetch(blocks_[block.next - 1]);
      for (uint32_t at = 0; at < per_block; ++at) {
        if (block.tags[at] == walks[i].tag && block.taken[at] != 0) visit(block.taken[at] - 1);
      }
      if (block.next != 0) {
        walks[i++].block = blocks_[block.next - 1];
      } else {
        walks[i] = walks[--open];
      }
    }
  }
}

// LSH tables in memory that signatures are added to one by one.

// A key is known by 32 of its bits: signatures without a common key meet by chance as well, in each
// table with one of 2^32. Not thread-safe while a signature is added; else any number of threads
// may ask.
class GrowingTables {
 public:
  explicit GrowingTables(const TableParams& params) : tables_(params), newest_(params.tables) {}

  uint32_t size() const { return size_; }
  const TableParams& params() const { return tables_.params(); }

  // Makes room, so that the next `more` calls of add() do not fail.
  void reserve(size_t more);
  // Adds a signature; its id is the size before. is_listed: whether it can be found.
  void add(std::span<const uint16_t> signature, bool is_listed);
  // The ids below `end` that share a key with the signature, ascending, each once.
  void find(std::span<const uint16_t> signature, uint32_t end, std::vector<uint32_t>& ids) const;

  uint64_t bytes() const;

 private:
  static constexpr uint32_t nobody = UINT32_MAX;

  static constexpr uint32_t ids_per_chunk = 1024;

  // By table: the next older id with its key, or nobody.
  std::span<uint32_t> older(uint32_t id) {
    return {&older_[id / ids_per_chunk][size_t{id % ids_per_chunk} * params().tables],
            params().tables};
  }
  uint32_t older(uint32_t id, uint32_t table) const {
    return older_[id / ids_per_chunk][size_t{id % ids_per_chunk} * params().tables + table];
  }

  Tables tables_;
  std::vector<TagTable> newest_;                    // by table: the newest id of each key
  std::vector<std::unique_ptr<uint32_t[]>> older_;  // chunks of rows of older()
  uint32_t size_ = 0;
};

// A bucket takes `max_bucket` signatures. Later ones with its key go on to a bucket of twice as
// many lanes, and then of four times as many, which takes any number but is read from its newest
// one back. So signatures that are more similar than others of their bucket stay together. Which
// have all lanes in common is known apart from that. A key is known by 32 of its bits: signatures
// without a common key meet by chance as well, in each table with one of 2^32. Not thread-safe
// while a signature is added; else any number of threads may ask.
class BoundedTables {
 public:
  static constexpr uint32_t usual_bucket = 64;
  static constexpr uint32_t no_limit = UINT32_MAX;

  // max_bucket: below 256, or no_limit.
  explicit BoundedTables(const TableParams& params, uint32_t max_bucket = usual_bucket);

  uint32_t size() const { return size_; }
  const TableParams& params() const { return tables_.params(); }

  // Adds a signature; its id is the size before.
  void add(std::span<const uint16_t> signature);
  // The ids that share a bucket with the signature, `max` at most: those that share the most, of
  // equal ones the earliest. Ascending, each once.
  void find(std::span<const uint16_t> signature, size_t max, std::vector<uint32_t>& ids) const;

  uint64_t bytes() const;

 private:
  static constexpr uint32_t nobody = UINT32_MAX;
  static constexpr uint32_t ids_per_chunk = 1024;
  static constexpr uint32_t levels = 3;
  using Keys = std::array<std::span<uint64_t>, levels>;

  // Of a stretch of ids, by id and table.
  struct Chunk {
    std::unique_ptr<uint32_t[]> older;  // the next older id of the bucket, or nobody
    std::unique_ptr<uint8_t[]> rank;    // how many of the bucket are older; 255 at most
  };
  size_t place(uint32_t id, uint32_t table) const {
    return size_t{id % ids_per_chunk} * params().tables + table;
  }
  uint32_t older(uint32_t id, uint32_t table) const {
    return chunks_[id / ids_per_chunk].older[place(id, table)];
  }
  uint32_t rank(uint32_t id, uint32_t table) const {
    return chunks_[id / ids_per_chunk].rank[place(id, table)];
  }
  static constexpr size_t keys_limit = levels * size_t{tables_limit};
  // By level and table, in `room`.
  Keys keys_of(std::span<const uint16_t> signature, std::array<uint64_t, keys_limit>& room) const;
  uint32_t newest(uint32_t level, uint32_t table, const Keys& keys) const;
  static uint64_t whole_key(std::span<const uint16_t> signature);

  Tables tables_;
  const uint32_t max_bucket_;
  std::array<std::vector<TagTable>, levels> newest_;  // by table: the newest id of each key
  TagTable whole_;                                    // the newest id of each signature
  std::vector<Chunk> chunks_;
  uint32_t size_ = 0;
};

}  // namespace kith::sketch
