#include "similar/fingerprints/simhash_tables.h"

#include <algorithm>
#include <array>
#include <bit>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"
#include "similar/fingerprints/cells.h"
#include "sketch/hamming.h"
#include "sketch/simhash.h"

namespace kith::similar {
namespace {

constexpr size_t design_values = 4;
constexpr size_t block_values = size_t{1} << 15;

// The leading bits by which a directory is made: all of the prefix, or so many that cells hold
// about values_per_cell of n random values.
uint32_t directory_bits(uint64_t n, uint32_t prefix_bits) {
  return std::min(prefix_bits, static_cast<uint32_t>(std::bit_width(n / values_per_cell)));
}
uint32_t directory_shift(uint64_t n, uint32_t prefix_bits) {
  return sketch::fingerprint_bits - directory_bits(n, prefix_bits);
}
std::string values_name(uint32_t number) {
  return fmt::format("table_{}", number);
}
std::string cells_name(uint32_t number) {
  return fmt::format("cells_{}", number);
}

// Writes the sections of one table from its values, which come in ascending order.
class TableWriter {
 public:
  TableWriter(storage::SectionWriter& file, uint64_t n, const sketch::PermutedTable& table)
      : file_(file),
        shift_(directory_shift(n, table.prefix_bits())),
        cells_((size_t{1} << (sketch::fingerprint_bits - shift_)) + 1) {}

  Status add(std::span<const uint64_t> values) {
    for (const uint64_t value : values) ++cells_[cell_of(value, shift_) + 1];
    return file_.append_array(values);
  }
  Status finish(const std::string& name) {
    for (size_t cell = 1; cell < cells_.size(); ++cell) cells_[cell] += cells_[cell - 1];
    KITH_TRY(file_.begin(name));
    return file_.append_array(std::span<const uint32_t>(cells_));
  }

 private:
  storage::SectionWriter& file_;
  uint32_t shift_;
  std::vector<uint32_t> cells_;
};

// Gives take(block) the fingerprints in order, and releases what has been read.
template <class Take>
Status for_blocks(std::span<const uint64_t> fingerprints, const Mapping* mapping,
                  const Take& take) {
  for (size_t begin = 0; begin < fingerprints.size(); begin += block_values) {
    const auto block =
        fingerprints.subspan(begin, std::min(block_values, fingerprints.size() - begin));
    KITH_TRY(take(block));
    if (mapping != nullptr) mapping->release(std::as_bytes(block));
  }
  return Status::ok();
}

Status write_sorted(storage::SortedRecords& sorted, TableWriter& writer) {
  std::vector<uint64_t> block;
  for (;;) {
    KITH_ASSIGN(auto records, sorted.next());
    if (records.empty()) return Status::ok();
    while (!records.empty()) {
      const auto some = records.first(std::min(records.size(), block_values));
      block.clear();
      for (const KeyId& record : some) block.push_back(record.key);
      KITH_TRY(writer.add(block));
      records = records.subspan(some.size());
    }
  }
}

}  // namespace

Status write_simhash_tables(storage::FileSystem& fs, const std::string& path,
                            std::span<const uint64_t> fingerprints,
                            const sketch::TableDesign& design,
                            const storage::ExternalSortOptions& sort, ThreadPool& pool,
                            const Mapping* mapping) {
  KITH_CHECK(fingerprints.size() < UINT32_MAX);
  const std::vector<sketch::PermutedTable> tables = sketch::permuted_tables(design);
  KITH_ASSIGN(auto file, storage::SectionWriter::create(fs, path, simhash_tables_kind));
  const std::array<uint32_t, design_values> described{design.distance, design.outer, design.inner,
                                                      0};
  KITH_TRY(file.begin("design"));
  KITH_TRY(file.append_array(std::span<const uint32_t>(described)));
  for (uint32_t number = 0; number < tables.size(); ++number) {
    const sketch::PermutedTable& table = tables[number];
    KITH_TRY(file.begin(values_name(number)));
    TableWriter writer(file, fingerprints.size(), table);
    if (number == 0) {  // not permuted, and so in order
      KITH_TRY(for_blocks(fingerprints, mapping, [&](auto block) { return writer.add(block); }));
      KITH_TRY(writer.finish(cells_name(number)));
      continue;
    }
    storage::ExternalSort values(fs, pool, sort);
    const auto permute = [&](std::span<const uint64_t> block) -> Status {
      for (const uint64_t value : block) KITH_TRY(values.append({table.permute(value), 0}));
      return Status::ok();
    };
    KITH_TRY(for_blocks(fingerprints, mapping, permute));
    KITH_ASSIGN(auto sorted, values.finish());
    KITH_TRY(write_sorted(sorted, writer));
    KITH_TRY(writer.finish(cells_name(number)));
  }
  return file.finish();
}

Result<SimhashTables> SimhashTables::open(storage::FileSystem& fs, const std::string& path) {
  SimhashTables tables;
  KITH_ASSIGN(tables.file_, storage::SectionFile::open(fs, path, simhash_tables_kind));
  KITH_ASSIGN(const auto design, tables.file_.array<uint32_t>("design"));
  if (design.size() != design_values) return tables.file_.corrupt("an unknown design of tables");
  tables.design_ = {design[0], design[1], design[2]};
  if (!sketch::is_sound(tables.design_) || design[3] != 0) {
    return tables.file_.corrupt("an impossible design of tables");
  }
  uint32_t number = 0;
  for (sketch::PermutedTable& permutation : sketch::permuted_tables(tables.design_)) {
    KITH_TRY(tables.open_table(number, std::move(permutation)));
    ++number;
  }
  return tables;
}

Status SimhashTables::open_table(uint32_t number, sketch::PermutedTable permutation) {
  KITH_ASSIGN(const auto values, file_.array<uint64_t>(values_name(number)));
  KITH_ASSIGN(const auto cells, file_.array<uint32_t>(cells_name(number)));
  const size_t n = number == 0 ? values.size() : size();
  const uint32_t bits = directory_bits(n, permutation.prefix_bits());
  const bool sound = n < UINT32_MAX && values.size() == n &&
                     cells.size() == (size_t{1} << bits) + 1 && cells.front() == 0 &&
                     cells.back() == n && std::ranges::is_sorted(cells);
  if (!sound) return file_.corrupt(fmt::format("table {} does not fit together", number));
  tables_.push_back({std::move(permutation), values, cells, sketch::fingerprint_bits - bits});
  return Status::ok();
}

Result<std::vector<FingerprintMatch>> SimhashTables::find(uint64_t fingerprint,
                                                          uint32_t distance) const {
  KITH_CHECK(distance <= design_.distance);
  std::array<uint64_t, sketch::max_permuted_tables> permuted;
  std::array<Range, sketch::max_permuted_tables> ranges;
  // Every step is made for all tables before the next: they wait for memory together.
  for (uint32_t t = 0; t < tables_.size(); ++t) {
    permuted[t] = tables_[t].permutation.permute(fingerprint);
    __builtin_prefetch(&tables_[t].cells[cell_of(permuted[t], tables_[t].shift)]);
  }
  for (uint32_t t = 0; t < tables_.size(); ++t) {
    ranges[t] = range_of(tables_[t], permuted[t]);
    __builtin_prefetch(tables_[t].values.data() + ranges[t].begin);
  }
  std::vector<FingerprintMatch> matches;
  for (uint32_t t = 0; t < tables_.size(); ++t) {
    KITH_TRY(collect(t, permuted[t], ranges[t], distance, matches));
  }
  std::ranges::sort(matches, {}, [](const FingerprintMatch& match) {
    return std::tuple(match.distance, match.place);
  });
  return matches;
}

// Where values with the prefix stand: a cell, which may hold others too.
SimhashTables::Range SimhashTables::range_of(const Table& table, uint64_t permuted) const {
  constexpr uint32_t narrowed_from = 256;
  const size_t cell = cell_of(permuted, table.shift);
  const Range range{table.cells[cell], table.cells[cell + 1]};
  if (range.end - range.begin < narrowed_from) return range;
  const uint32_t shift = sketch::fingerprint_bits - table.permutation.prefix_bits();
  const auto prefix_of = [&](uint64_t value) { return cell_of(value, shift); };
  const auto of_cell = table.values.subspan(range.begin, range.end - range.begin);
  const auto begin = std::ranges::lower_bound(of_cell, prefix_of(permuted), {}, prefix_of);
  const auto end = std::ranges::upper_bound(of_cell, prefix_of(permuted), {}, prefix_of);
  return {range.begin + static_cast<uint32_t>(begin - of_cell.begin()),
          range.begin + static_cast<uint32_t>(end - of_cell.begin())};
}

// Adds the near ones of a range that no earlier table gives.
Status SimhashTables::collect(uint32_t number, uint64_t permuted, Range range, uint32_t distance,
                              std::vector<FingerprintMatch>& matches) const {
  static const sketch::HammingKernels& kernels = sketch::hamming_kernels();
  constexpr size_t piece = 1024;
  std::array<uint32_t, piece> places;
  const Table& table = tables_[number];
  for (size_t begin = range.begin; begin < range.end; begin += piece) {
    const uint64_t* const values = table.values.data() + begin;
    const size_t size = std::min<size_t>(piece, range.end - begin);
    const size_t found = kernels.scan(permuted, values, size, distance, places.data());
    for (const uint32_t place : std::span(places).first(found)) {
      const uint64_t differing = table.permutation.restore(permuted ^ values[place]);
      if (!is_first_table(number, differing)) continue;
      KITH_ASSIGN(const uint32_t at, place_of(table.permutation.restore(values[place])));
      matches.push_back({at, hamming_distance(differing, 0)});
    }
  }
  return Status::ok();
}

// Whether a pair with this difference has the same prefix in table `number` and in none before.
bool SimhashTables::is_first_table(uint32_t number, uint64_t differing) const {
  const auto meets = [&](const Table& table) {
    return (differing & table.permutation.prefix_mask()) == 0;
  };
  const auto before = std::span(tables_).first(number);
  return meets(tables_[number]) && std::ranges::none_of(before, meets);
}

Result<uint32_t> SimhashTables::place_of(uint64_t fingerprint) const {
  const Table& table = tables_.front();
  const size_t cell = cell_of(fingerprint, table.shift);
  const auto begin = table.values.begin() + table.cells[cell];
  const auto end = table.values.begin() + table.cells[cell + 1];
  const auto found = std::lower_bound(begin, end, fingerprint);
  if (found == end || *found != fingerprint) {
    return file_.corrupt(
        fmt::format("a table holds the fingerprint {:016x}, which the first does "
                    "not",
                    fingerprint));
  }
  return static_cast<uint32_t>(found - table.values.begin());
}

}  // namespace kith::similar
