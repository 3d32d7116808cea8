// Permuted tables of 64-bit fingerprints (Manku, Jain, Das Sarma, Detecting near-duplicates for
// web crawling, 2007, section 3): fingerprints that differ in at most k bits agree in all bits of
// some blocks, so each table brings other blocks to the front and is sorted. Every pair within k
// shares the prefix of at least one table. docs/algorithms/simhash.md has the proof. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "kith/status.h"

namespace kith::sketch {

inline constexpr uint32_t max_distance = 7;  // k
inline constexpr uint32_t max_permuted_tables = 64;

// How the tables are made. The 64 bits are cut into `outer` > k blocks, of which k at most hold a
// difference: a table for every choice of the outer - k that hold none. With inner > 0 the bits
// of the other k blocks are cut again, into `inner` > k blocks, and for each choice of
// inner - k of those there is a table.
struct TableDesign {
  uint32_t distance = 3;  // k, 0 to max_distance
  uint32_t outer = 4;
  uint32_t inner = 0;  // 0: one level
  friend bool operator==(const TableDesign&, const TableDesign&) = default;
};

// Whether there is such a design: blocks of at least one bit, at most max_permuted_tables tables.
bool is_sound(const TableDesign& design);

// The number of tables: C(outer, k), times C(inner, k) on two levels. REQUIRES: is_sound(design).
uint32_t table_count(const TableDesign& design);

// A permutation of the 64 bits that brings the blocks of a table to the front. Immutable,
// thread-safe.
class PermutedTable {
 public:
  // A run of bits that moves as a whole: bits [from, from + width) go to [to, to + width). Bit 0 is
  // the least significant.
  struct Run {
    uint8_t from;
    uint8_t to;
    uint8_t width;
  };

  // The runs, in the order of their new places from the most significant down; they cover the 64
  // bits. The first prefix_bits of them are the prefix.
  PermutedTable(std::vector<Run> runs, uint32_t prefix_bits);

  // The number of leading bits in which pairs of this table agree, 1 to 64.
  uint32_t prefix_bits() const { return prefix_bits_; }
  // The bits of a fingerprint, at their own places, that the prefix is made of.
  uint64_t prefix_mask() const { return prefix_mask_; }
  uint64_t permute(uint64_t fingerprint) const;
  uint64_t restore(uint64_t permuted) const;

 private:
  std::vector<Run> runs_;
  uint32_t prefix_bits_;
  uint64_t prefix_mask_;
};

// The tables of a design. The first is not permuted at all. REQUIRES: is_sound(design).
std::vector<PermutedTable> permuted_tables(const TableDesign& design);

// Cuts the bits of `mask` into `blocks` (> 0) blocks of consecutive bits of it, from the most
// significant down, whose sizes differ by at most one, the larger ones first. With fewer bits
// than blocks the last blocks are empty.
std::vector<uint64_t> cut_blocks(uint64_t mask, uint32_t blocks);

// What a query costs that looks at all fingerprints with its prefix, table by table, when n
// fingerprints are random.
struct QueryCost {
  uint32_t probes;    // tables
  double candidates;  // fingerprints compared: the sum of n / 2^prefix
  double nanoseconds;
};
QueryCost query_cost(const TableDesign& design, double n);

// The designs for a distance, 0 to max_distance, by number of tables: outer from k + 1 on, and the
// two-level one of k + 1 and k + 1 blocks. For k = 3 these are Manku's 4, 10, 16 and 20 tables,
// and 35 and 56.
std::vector<TableDesign> table_designs(uint32_t distance);

// The design of at most max_tables tables whose queries take the least time; each table costs 8
// bytes per fingerprint. Error (usage) when the distance is above max_distance or no design has so
// few tables; the message names the fewest.
Result<TableDesign> choose_design(uint64_t n, uint32_t distance, uint32_t max_tables);

// For a join of n fingerprints within k: the number of blocks, of which all but k are chosen one
// after the other (similar/fingerprints/simhash_join.h), with the least estimated cost for random
// fingerprints. REQUIRES: distance <= max_distance.
uint32_t choose_join_blocks(uint64_t n, uint32_t distance);

}  // namespace kith::sketch
