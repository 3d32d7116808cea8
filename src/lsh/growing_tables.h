// LSH tables in memory that signatures are added to one by one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "lsh/tables.h"

namespace kith::lsh {

// Not thread-safe while a signature is added; else any number of threads may ask.
class GrowingTables {
 public:
  explicit GrowingTables(const TableParams& params)
      : tables_(params), newest_(params.tables), older_(params.tables) {}

  uint32_t size() const { return static_cast<uint32_t>(older_.front().size()); }
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

  Tables tables_;
  std::vector<boost::unordered_flat_map<uint64_t, uint32_t>> newest_;  // by table and key
  std::vector<std::vector<uint32_t>> older_;  // by table and id: the next older one of its key
};

}  // namespace kith::lsh
