// The related-pages index: the nearest URLs of every URL (docs/algorithms/pairs.md). The byte
// format is docs/formats/index_stage.md.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "kith/status.h"

#include "similar/neighbour.h"
#include "storage/section_file.h"

namespace kith::run {

inline constexpr storage::FileKind neighbours_kind{"near", 1};

using similar::Neighbour;

// Writes the lists of all ids in order. Not thread-safe.
class NeighboursWriter {
 public:
  static Result<NeighboursWriter> create(storage::FileSystem& fs, const std::string& path);
  // The list of the next id, most similar first, ties by id; and its degree, the number of
  // URLs found at or above the threshold.
  Status add(std::span<const Neighbour> list, uint32_t degree);
  Status finish();

 private:
  explicit NeighboursWriter(storage::SectionWriter file) : file_(std::move(file)) {}
  storage::SectionWriter file_;
  std::vector<uint64_t> offsets_{0};
  std::vector<uint32_t> degrees_;
};

// Immutable, thread-safe; views live as long as this object.
class Neighbours {
 public:
  static Result<Neighbours> open(storage::FileSystem& fs, const std::string& path);
  // In a time that does not grow with the lists, which are not read: before one of them is asked
  // for, call check(id); before all of them are, verify().
  static Result<Neighbours> open_for_lookup(storage::FileSystem& fs, const std::string& path);
  uint64_t size() const { return offsets_.size() - 1; }
  std::span<const Neighbour> operator[](uint64_t id) const {
    return entries_.subspan(offsets_[id], offsets_[id + 1] - offsets_[id]);
  }
  uint32_t degree(uint64_t id) const { return degrees_[id]; }
  std::span<const uint32_t> degrees() const { return degrees_; }
  // All lists in one array, and where each begins: size() + 1 offsets.
  std::span<const Neighbour> entries() const { return entries_; }
  std::span<const uint64_t> offsets() const { return offsets_; }
  // Compares the list and the degree of an id with the checksums of the file, and its entries with
  // what an entry can be. REQUIRES: id < size().
  Status check(uint64_t id) const;
  // The same of all.
  Status verify() const;
  // Nothing of it will be read for a while: see Mapping::release().
  void release() const { file_.release(); }

 private:
  Status check_values() const;
  storage::SectionFile file_;
  std::span<const uint64_t> offsets_;
  std::span<const Neighbour> entries_;
  std::span<const uint32_t> degrees_;
};

}  // namespace kith::run
