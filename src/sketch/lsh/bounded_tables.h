// LSH tables in memory that signatures are added to one by one, and of which a look-up reads a
// bounded number of entries, however many share a key.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/hash.h"
#include "sketch/lsh/tables.h"

namespace kith::sketch {

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
