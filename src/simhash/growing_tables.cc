#include "simhash/growing_tables.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>

#include "base/check.h"
#include "base/prefetch.h"
#include "sketch/simhash.h"

namespace kith::pairs {
namespace {

constexpr uint64_t values_per_cell = 16;

// A value without its last `shift` bits; shift may be 64.
size_t cell_of(uint64_t value, uint32_t shift) {
  return shift == fingerprint_bits ? 0 : value >> shift;
}

bool is_near(uint64_t a, uint64_t b, uint32_t distance) {
  return std::popcount(a ^ b) <= static_cast<int>(distance);
}

}  // namespace

GrowingSimhashTables::GrowingSimhashTables(const lsh::TableDesign& design, size_t list,
                                           size_t ratio)
    : design_(design), list_(list), ratio_(ratio) {
  KITH_CHECK(lsh::is_sound(design) && list > 0 && ratio > 1);
  for (lsh::PermutedTable& permutation : lsh::permuted_tables(design)) {
    tables_.push_back({std::move(permutation), {}});
  }
}

void GrowingSimhashTables::add(uint64_t fingerprint) {
  if (newest_.size() == list_) empty_list();
  newest_.push_back(fingerprint);
}

void GrowingSimhashTables::empty_list() {
  for (Table& table : tables_) {
    Run run = run_of_newest(table.permutation);
    while (!table.runs.empty() && table.runs.back().values.size() < ratio_ * run.values.size()) {
      run = merged(table.runs.back(), run);
      table.runs.pop_back();
    }
    make_cells(run, table.permutation.prefix_bits());
    table.runs.push_back(std::move(run));
  }
  runs_end_ += static_cast<uint32_t>(newest_.size());
  newest_.clear();
}

GrowingSimhashTables::Run GrowingSimhashTables::run_of_newest(
    const lsh::PermutedTable& permutation) const {
  std::vector<std::pair<uint64_t, uint32_t>> sorted;
  sorted.reserve(newest_.size());
  for (size_t i = 0; i < newest_.size(); ++i) {
    sorted.emplace_back(permutation.permute(newest_[i]), runs_end_ + static_cast<uint32_t>(i));
  }
  std::ranges::sort(sorted);
  Run run;
  for (const auto& [value, id] : sorted) {
    run.values.push_back(value);
    run.ids.push_back(id);
  }
  return run;
}

// Of equal values those of `a`, which are older, come first.
GrowingSimhashTables::Run GrowingSimhashTables::merged(const Run& a, const Run& b) {
  Run run;
  const size_t size = a.values.size() + b.values.size();
  run.values.resize(size);
  run.ids.resize(size);
  size_t i = 0;
  size_t j = 0;
  for (size_t at = 0; at < size; ++at) {
    const bool from_a = j == b.values.size() || (i < a.values.size() && a.values[i] <= b.values[j]);
    run.values[at] = from_a ? a.values[i] : b.values[j];
    run.ids[at] = from_a ? a.ids[i++] : b.ids[j++];
  }
  return run;
}

void GrowingSimhashTables::make_cells(Run& run, uint32_t prefix_bits) {
  const auto wanted = static_cast<uint32_t>(std::bit_width(run.values.size() / values_per_cell));
  run.shift = fingerprint_bits - std::min(prefix_bits, wanted);
  run.cells.assign((size_t{1} << (fingerprint_bits - run.shift)) + 1, 0);
  for (const uint64_t value : run.values) ++run.cells[cell_of(value, run.shift) + 1];
  std::partial_sum(run.cells.begin(), run.cells.end(), run.cells.begin());
}

// Where it is looked for in each run. Almost every look is at memory that is in no cache, so all of
// it is asked for before any of it is used.
std::vector<GrowingSimhashTables::Probe> GrowingSimhashTables::probes_of(
    uint64_t fingerprint) const {
  std::vector<Probe> probes;
  probes.reserve(tables_.size() * runs());
  for (const Table& table : tables_) {
    const uint64_t permuted = table.permutation.permute(fingerprint);
    for (const Run& run : table.runs) {
      probes.push_back(
          {&run, permuted, table.permutation.prefix_bits(), cell_of(permuted, run.shift)});
      prefetch(std::span<const uint32_t>(run.cells).subspan(probes.back().cell, 2));
    }
  }
  for (const Probe& probe : probes) {
    const uint32_t begin = probe.run->cells[probe.cell];
    const uint32_t end = probe.run->cells[probe.cell + 1];
    prefetch(std::span<const uint64_t>(probe.run->values).subspan(begin, end - begin));
  }
  return probes;
}

void GrowingSimhashTables::search(const Probe& probe, uint32_t distance,
                                  std::vector<uint32_t>& ids) {
  const Run& run = *probe.run;
  const uint32_t free_bits = fingerprint_bits - probe.prefix_bits;
  const uint64_t last_free = free_bits == 0 ? 0 : UINT64_MAX >> (fingerprint_bits - free_bits);
  const uint64_t first = probe.permuted & ~last_free;
  const uint64_t last = probe.permuted | last_free;
  const auto begin = run.values.begin() + run.cells[probe.cell];
  const auto end = run.values.begin() + run.cells[probe.cell + 1];
  for (auto place = std::lower_bound(begin, end, first); place != end && *place <= last; ++place) {
    if (!is_near(*place, probe.permuted, distance)) continue;
    ids.push_back(run.ids[static_cast<size_t>(place - run.values.begin())]);
  }
}

void GrowingSimhashTables::find(uint64_t fingerprint, uint32_t distance,
                                std::vector<uint32_t>& ids) const {
  KITH_CHECK(distance <= design_.distance);
  ids.clear();
  const std::vector<Probe> probes = probes_of(fingerprint);
  for (size_t i = 0; i < newest_.size(); ++i) {
    if (is_near(newest_[i], fingerprint, distance)) {
      ids.push_back(runs_end_ + static_cast<uint32_t>(i));
    }
  }
  for (const Probe& probe : probes) search(probe, distance, ids);
  std::ranges::sort(ids);
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
}

uint64_t GrowingSimhashTables::bytes() const {
  uint64_t bytes = newest_.capacity() * sizeof(uint64_t);
  for (const Table& table : tables_) {
    for (const Run& run : table.runs) {
      bytes += run.values.capacity() * sizeof(uint64_t) + run.ids.capacity() * sizeof(uint32_t) +
               run.cells.capacity() * sizeof(uint32_t);
    }
  }
  return bytes;
}

}  // namespace kith::pairs
