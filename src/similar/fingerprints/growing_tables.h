// Fingerprints that are added one by one, found within a distance.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/memory.h"
#include "sketch/lsh/permuted_tables.h"
#include "sketch/simhash.h"

namespace kith::similar {

// Sorted fingerprints are found by a directory: the places of cells, which are the ranges of equal
// leading bits.

// About as many values of a directory share a cell.
inline constexpr uint64_t values_per_cell = 16;

// A value without its last `shift` bits; shift may be 64.
inline size_t cell_of(uint64_t value, uint32_t shift) {
  return shift == sketch::fingerprint_bits ? 0 : value >> shift;
}

// Permuted tables in memory that fingerprints are added to one by one: which of those so far are
// within k bits of this one? Exact (sketch/lsh/permuted_tables.h; Manku, Jain, Das Sarma 2007).

// The newest fingerprints lie in a short list that is compared as a whole. A full list becomes a
// sorted run of every table, and runs are merged as in a log-structured merge tree (O'Neil et al.
// 1996): each run has at least `ratio` times as many fingerprints as the next, so that n
// fingerprints lie in about log(n / list) / log(ratio) runs, and each is moved about `ratio` / 2
// times a level. A directory by the leading bits leads to a few values of a run, all of which are
// compared. Memory: 12 bytes a fingerprint and table, and a quarter to half a byte for a directory;
// during a merge those of one table once more. Not thread-safe while a fingerprint is added; else
// any number of threads may ask.
class GrowingSimhashTables {
 public:
  // list: the fingerprints of a full list, > 0; ratio: > 1. REQUIRES: is_sound(design).
  explicit GrowingSimhashTables(const sketch::TableDesign& design, size_t list = 512,
                                size_t ratio = 8);

  const sketch::TableDesign& design() const { return design_; }
  uint32_t size() const { return runs_end_ + static_cast<uint32_t>(newest_.size()); }
  size_t runs() const { return tables_.front().runs.size(); }

  // Adds a fingerprint; its id is the size before. REQUIRES: size() < 2^32 - 1.
  void add(uint64_t fingerprint);
  // The ids of all fingerprints within `distance`, ascending. REQUIRES: distance <=
  // design().distance.
  void find(uint64_t fingerprint, uint32_t distance, std::vector<uint32_t>& ids) const;

  uint64_t bytes() const;

 private:
  // Fingerprints of a table, permuted and ascending, with their ids.
  struct Run {
    explicit Run(size_t size) : values(size), ids(size) {}
    LargeArray<uint64_t> values;
    LargeArray<uint32_t> ids;
    LargeArray<uint32_t> cells;  // by leading bits: the first place that has them, or greater
    uint32_t shift = 0;          // what is left of a value when its leading bits are taken
  };
  struct Table {
    sketch::PermutedTable permutation;
    std::vector<Run> runs;  // the largest first
  };

  Run run_of_newest(const sketch::PermutedTable& permutation) const;
  static Run merged(const Run& a, const Run& b);
  static void make_cells(Run& run, uint32_t prefix_bits);
  // A fingerprint that is looked for in one run.
  struct Probe {
    const Run* run;
    uint64_t permuted;
    size_t cell;
    uint32_t begin() const { return run->cells[cell]; }
    std::span<const uint64_t> values() const;
  };
  std::vector<Probe> probes_of(uint64_t fingerprint) const;
  void empty_list();

  sketch::TableDesign design_;
  size_t list_;
  size_t ratio_;
  std::vector<Table> tables_;
  std::vector<uint64_t> newest_;
  uint32_t runs_end_ = 0;  // the id of newest_[0]
};

}  // namespace kith::similar
