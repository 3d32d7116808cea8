// LSH tables in memory that signatures are added to one by one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/tag_table.h"
#include "sketch/lsh/tables.h"

namespace kith::sketch {

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

}  // namespace kith::sketch
