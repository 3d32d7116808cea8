#include "similar/fingerprints/growing_tables.h"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <utility>

#include "base/check.h"
#include "base/memory.h"
#include "sketch/simhash.h"

namespace kith::similar {
namespace {

// Calls take(i) for the places of all values that are near, ascending.
template <class Take>
void for_each_near(uint64_t value, std::span<const uint64_t> values, uint32_t distance,
                   Take&& take) {
  std::array<uint32_t, 512> places;
  static const sketch::HammingKernels& kernels = sketch::hamming_kernels();
  for (size_t begin = 0; begin < values.size(); begin += places.size()) {
    const size_t count = std::min(places.size(), values.size() - begin);
    const size_t near = kernels.scan(value, values.data() + begin, count, distance, places.data());
    for (size_t i = 0; i < near; ++i) take(begin + places[i]);
  }
}

}  // namespace

GrowingSimhashTables::GrowingSimhashTables(const sketch::TableDesign& design, size_t list,
                                           size_t ratio)
    : design_(design), list_(list), ratio_(ratio) {
  KITH_CHECK(sketch::is_sound(design) && list > 0 && ratio > 1);
  for (sketch::PermutedTable& permutation : sketch::permuted_tables(design)) {
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
    const sketch::PermutedTable& permutation) const {
  std::vector<std::pair<uint64_t, uint32_t>> sorted;
  sorted.reserve(newest_.size());
  for (size_t i = 0; i < newest_.size(); ++i) {
    sorted.emplace_back(permutation.permute(newest_[i]), runs_end_ + static_cast<uint32_t>(i));
  }
  std::ranges::sort(sorted);
  Run run(sorted.size());
  for (size_t i = 0; i < sorted.size(); ++i) {
    run.values[i] = sorted[i].first;
    run.ids[i] = sorted[i].second;
  }
  return run;
}

// Of equal values those of `a`, which are older, come first.
GrowingSimhashTables::Run GrowingSimhashTables::merged(const Run& a, const Run& b) {
  const size_t size = a.values.size() + b.values.size();
  Run run(size);
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
  run.shift = sketch::fingerprint_bits - std::min(prefix_bits, wanted);
  run.cells = LargeArray<uint32_t>((size_t{1} << (sketch::fingerprint_bits - run.shift)) + 1);
  for (const uint64_t value : run.values.span()) ++run.cells[cell_of(value, run.shift) + 1];
  const std::span<uint32_t> cells = run.cells.span();
  std::partial_sum(cells.begin(), cells.end(), cells.begin());
}

// Values that share the leading bits of a prefix, or less: all that are near are among them, and
// what else is near may be found as well.
std::span<const uint64_t> GrowingSimhashTables::Probe::values() const {
  return run->values.span().subspan(begin(), run->cells[cell + 1] - begin());
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
      probes.push_back({&run, permuted, cell_of(permuted, run.shift)});
      prefetch(run.cells.span().subspan(probes.back().cell, 2));
    }
  }
  for (const Probe& probe : probes) prefetch(probe.values());
  return probes;
}

void GrowingSimhashTables::find(uint64_t fingerprint, uint32_t distance,
                                std::vector<uint32_t>& ids) const {
  KITH_CHECK(distance <= design_.distance);
  ids.clear();
  const std::vector<Probe> probes = probes_of(fingerprint);
  for_each_near(fingerprint, newest_, distance,
                [&](size_t i) { ids.push_back(runs_end_ + static_cast<uint32_t>(i)); });
  for (const Probe& probe : probes) {
    const std::span<const uint32_t> of_cell = probe.run->ids.span().subspan(probe.begin());
    for_each_near(probe.permuted, probe.values(), distance,
                  [&](size_t i) { ids.push_back(of_cell[i]); });
  }
  std::ranges::sort(ids);
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
}

uint64_t GrowingSimhashTables::bytes() const {
  uint64_t bytes = newest_.capacity() * sizeof(uint64_t);
  for (const Table& table : tables_) {
    for (const Run& run : table.runs) {
      bytes += run.values.size() * sizeof(uint64_t) + run.ids.size() * sizeof(uint32_t) +
               run.cells.size() * sizeof(uint32_t);
    }
  }
  return bytes;
}

}  // namespace kith::similar
