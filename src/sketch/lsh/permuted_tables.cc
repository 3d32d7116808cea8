#include "sketch/lsh/permuted_tables.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"
#include "sketch/lsh/duplicate_tables.h"

namespace kith::sketch {
namespace {

constexpr uint32_t all_bits = 64;
using Runs = std::vector<PermutedTable::Run>;

uint64_t low_mask(uint32_t width) {
  return width == all_bits ? ~uint64_t{0} : (uint64_t{1} << width) - 1;
}

uint64_t mask_of(const PermutedTable::Run& run) {
  return low_mask(run.width) << run.from;
}

// Appends the bits of `mask`, from the most significant down.
void append_runs(Runs& runs, uint64_t mask) {
  uint32_t to = runs.empty() ? all_bits : runs.back().to;
  while (mask != 0) {
    const auto end = static_cast<uint32_t>(std::bit_width(mask));
    const auto width = static_cast<uint32_t>(std::countl_one(mask << (all_bits - end)));
    to -= width;
    const PermutedTable::Run run{static_cast<uint8_t>(end - width), static_cast<uint8_t>(to),
                                 static_cast<uint8_t>(width)};
    mask &= ~mask_of(run);
    // What stands next to the run before it moves with it.
    if (!runs.empty() && runs.back().from == end) {
      runs.back() = {run.from, run.to, static_cast<uint8_t>(runs.back().width + run.width)};
    } else {
      runs.push_back(run);
    }
  }
}

// Calls visit(mask of the chosen blocks) for every choice of all but `left_out` of them, in
// lexicographic order.
template <class Visit>
void for_each_choice(const std::vector<uint64_t>& blocks, uint32_t left_out, const Visit& visit) {
  std::vector<bool> chosen(blocks.size(), true);
  std::fill(chosen.end() - left_out, chosen.end(), false);
  do {
    uint64_t mask = 0;
    for (size_t i = 0; i < blocks.size(); ++i) mask |= chosen[i] ? blocks[i] : 0;
    visit(mask);
  } while (std::prev_permutation(chosen.begin(), chosen.end()));
}

// Calls visit(outer part of the prefix, inner part) for every table.
template <class Visit>
void for_each_table(const TableDesign& design, const Visit& visit) {
  const uint32_t k = design.distance;
  for_each_choice(cut_blocks(~uint64_t{0}, design.outer), k, [&](uint64_t outer) {
    if (design.inner == 0) return visit(outer, uint64_t{0});
    for_each_choice(cut_blocks(~outer, design.inner), k,
                    [&](uint64_t inner) { visit(outer, inner); });
  });
}

// The number of tables, or a number above max_permuted_tables.
double count_tables(const TableDesign& design) {
  const double outer = binomial_coefficient(design.outer, design.distance);
  return design.inner == 0 ? outer : outer * binomial_coefficient(design.inner, design.distance);
}

}  // namespace

bool is_sound(const TableDesign& design) {
  const uint32_t k = design.distance;
  if (k > max_distance || design.outer <= k || design.outer > all_bits) return false;
  if (design.inner != 0) {
    // The k blocks that the outer level leaves have at least k * (64 / outer) bits.
    if (k == 0 || design.inner <= k || design.inner > k * (all_bits / design.outer)) return false;
  }
  return count_tables(design) <= max_permuted_tables;
}

uint32_t table_count(const TableDesign& design) {
  KITH_CHECK(is_sound(design));
  return static_cast<uint32_t>(count_tables(design));
}

PermutedTable::PermutedTable(std::vector<Run> runs, uint32_t prefix_bits)
    : runs_(std::move(runs)), prefix_bits_(prefix_bits) {
  prefix_mask_ = restore(~uint64_t{0} << (all_bits - prefix_bits));
}

uint64_t PermutedTable::permute(uint64_t fingerprint) const {
  uint64_t permuted = 0;
  for (const Run& run : runs_) {
    permuted |= (fingerprint >> run.from & low_mask(run.width)) << run.to;
  }
  return permuted;
}

uint64_t PermutedTable::restore(uint64_t permuted) const {
  uint64_t fingerprint = 0;
  for (const Run& run : runs_) {
    fingerprint |= (permuted >> run.to & low_mask(run.width)) << run.from;
  }
  return fingerprint;
}

std::vector<PermutedTable> permuted_tables(const TableDesign& design) {
  KITH_CHECK(is_sound(design));
  std::vector<PermutedTable> tables;
  for_each_table(design, [&](uint64_t outer, uint64_t inner) {
    Runs runs;
    append_runs(runs, outer);
    append_runs(runs, inner);
    append_runs(runs, ~(outer | inner));
    tables.emplace_back(std::move(runs), static_cast<uint32_t>(std::popcount(outer | inner)));
  });
  return tables;
}

std::vector<uint64_t> cut_blocks(uint64_t mask, uint32_t blocks) {
  KITH_CHECK(blocks > 0);
  const auto bits = static_cast<uint32_t>(std::popcount(mask));
  std::vector<uint64_t> cut(blocks, 0);
  for (uint32_t i = 0; i < blocks; ++i) {
    const uint32_t size = bits / blocks + (i < bits % blocks ? 1 : 0);
    for (uint32_t taken = 0; taken < size; ++taken) {
      const uint64_t highest = std::bit_floor(mask);
      cut[i] |= highest;
      mask &= ~highest;
    }
  }
  return cut;
}

QueryCost query_cost(const TableDesign& design, double n) {
  // A probe waits for memory twice, in the directory and in the table; a core compares some five
  // fingerprints in a nanosecond when they come from memory.
  constexpr double probe_ns = 250;
  constexpr double compare_ns = 0.2;
  QueryCost cost{table_count(design), 0.0, 0.0};
  for_each_table(design, [&](uint64_t outer, uint64_t inner) {
    cost.candidates += std::ldexp(n, -std::popcount(outer | inner));
  });
  cost.nanoseconds = cost.probes * probe_ns + cost.candidates * compare_ns;
  return cost;
}

std::vector<TableDesign> table_designs(uint32_t distance) {
  KITH_CHECK(distance <= max_distance);
  std::vector<TableDesign> designs;
  if (distance == 0) return {{0, 1, 0}};
  for (uint32_t outer = distance + 1; is_sound({distance, outer, 0}); ++outer) {
    designs.push_back({distance, outer, 0});
  }
  const TableDesign two_level{distance, distance + 1, distance + 1};
  if (is_sound(two_level)) designs.push_back(two_level);
  std::ranges::stable_sort(designs, {}, table_count);
  return designs;
}

Result<TableDesign> choose_design(uint64_t n, uint32_t distance, uint32_t max_tables) {
  if (distance > max_distance) {
    return Error{ErrorKind::usage, fmt::format("tables for a distance of {} bits: give 0 to {}",
                                               distance, max_distance)};
  }
  const std::vector<TableDesign> designs = table_designs(distance);
  const uint32_t fewest = table_count(designs.front());
  if (fewest > max_tables) {
    return Error{ErrorKind::usage, fmt::format("a distance of {} bits takes at least {} tables, "
                                               "not {}",
                                               distance, fewest, max_tables)};
  }
  TableDesign best = designs.front();
  for (const TableDesign& design : designs) {
    if (table_count(design) > max_tables) break;
    const auto cost = [n](const TableDesign& of) {
      return query_cost(of, static_cast<double>(n)).nanoseconds;
    };
    if (cost(design) < cost(best)) best = design;
  }
  return best;
}

uint32_t choose_join_blocks(uint64_t n, uint32_t distance) {
  KITH_CHECK(distance <= max_distance);
  constexpr double move_ns = 4;       // a fingerprint to its group
  constexpr double compare_ns = 0.1;  // two fingerprints in cache
  constexpr uint32_t deepest = 4;
  const auto all = static_cast<double>(n);
  double moves = 0;
  double least = 0;
  uint32_t best = 0;
  // With k + depth blocks, `depth` blocks are chosen on C(k + depth, depth) ways; the ways to
  // choose the first few do not depend on how many there are.
  for (uint32_t depth = 1; depth <= deepest; ++depth) {
    const uint32_t blocks = distance + depth;
    const double ways = binomial_coefficient(blocks, depth);
    moves += ways * all * move_ns;
    const double group = all * std::exp2(-static_cast<double>(all_bits * depth) / blocks);
    const double cost = moves + ways * all * group / 2 * compare_ns;
    if (best == 0 || cost < least) {
      best = blocks;
      least = cost;
    }
  }
  return best;
}

}  // namespace kith::sketch
