// The tables of families: a bucket over the bound, of signatures of any bytes, is divided, and what
// is remembered of that says of every row in which part it was.
#include "similar/tables/bucket_split.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/bytes.h"
#include "similar/tables/block_rows.h"
#include "similar/tables/bucket_scan.h"
#include "sketch/lsh/tables.h"

namespace {

using namespace kith;
using namespace kith::similar;

constexpr uint32_t lanes = 16;
constexpr uint32_t table_count = 2;
constexpr size_t max_rows = 1280;

void require(bool condition) {
  if (!condition) __builtin_trap();
}

// Runs of rows: how many, how many of them differ from the first of the run, and its values.
std::vector<uint16_t> read_values(Cursor& cursor) {
  std::vector<uint16_t> values;
  std::array<uint16_t, lanes> row{};
  while (!cursor.at_end() && values.size() < max_rows * lanes) {
    const size_t count = 1 + cursor.fixed<uint8_t>() * size_t{4};
    const uint32_t differing = cursor.fixed<uint8_t>();
    const uint32_t changed = cursor.fixed<uint8_t>();
    row[changed % lanes] = static_cast<uint16_t>(changed / lanes);
    for (size_t i = 0; i < count && values.size() < max_rows * lanes; ++i) {
      const size_t first = values.size();
      values.insert(values.end(), row.begin(), row.end());
      for (uint32_t lane = 0; lane < lanes; ++lane) {
        const uint32_t dice = static_cast<uint32_t>(mix64(values.size() * lanes + lane) % 256);
        if (dice * 16 < differing) values[first + lane] = static_cast<uint16_t>(1000 + dice);
      }
    }
  }
  return values;
}

class Check {
 public:
  Check(const sketch::Tables& tables, const SignatureRows& rows, PivotRule rule, WholePartUse use)
      : rows_(rows),
        tables_(tables),
        use_(use),
        splits_(tables, largest_bucket, rule, use, static_cast<uint32_t>(rows.size())) {}

  void run() {
    static ThreadPool one_thread(1);
    BucketScan scan(rows_, tables_, splits_, false, one_thread);
    scan.set_whole([&](uint64_t, std::span<const uint32_t> part) {
      if (use_ == WholePartUse::kept) parts_.emplace_back(part.begin(), part.end());
      whole_ += part.size();
    });
    for (uint32_t table = 0; table < table_count; ++table) {
      parts_.clear();
      scan.start(table);
      for (size_t partition = 0; partition < scan.partitions(); ++partition) {
        scan.visit(partition, 0, [&](std::span<uint32_t> part) {
          require(part.size() >= 2);
          require(use_ == WholePartUse::compared || part.size() <= largest_bucket);
          parts_.emplace_back(part.begin(), part.end());
        });
      }
      check(table);
    }
  }

 private:
  // No row is in two parts, those of a part are where the splits say, and others are not there.
  void check(uint32_t table) {
    std::vector<uint32_t> part_of(rows_.size(), UINT32_MAX);
    std::unordered_map<uint64_t, uint32_t> by_name;
    for (uint32_t i = 0; i < parts_.size(); ++i) {
      for (const uint32_t row : parts_[i]) {
        require(part_of[row] == UINT32_MAX);
        part_of[row] = i;
      }
      require(by_name.emplace(name_of(table, parts_[i].front()), i).second);
    }
    for (uint32_t row = 0; row < rows_.size(); ++row) {
      const auto named = by_name.find(name_of(table, row));
      require(part_of[row] == (named == by_name.end() ? UINT32_MAX : named->second));
    }
  }

  uint64_t name_of(uint32_t table, uint32_t row) const {
    std::array<uint16_t, lanes> buffer;
    const std::span<const uint16_t> signature = rows_.values(row, buffer);
    return splits_.part(table, tables_.key(table, signature), rows_.id(row), signature);
  }

  const SignatureRows& rows_;
  const sketch::Tables& tables_;
  const WholePartUse use_;
  BucketSplits splits_;
  std::vector<std::vector<uint32_t>> parts_;  // of the table at hand
  size_t whole_ = 0;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Cursor cursor(std::string_view(reinterpret_cast<const char*>(data), size));
  const auto use = static_cast<WholePartUse>(cursor.fixed<uint8_t>() % 3);
  const auto tight = cursor.fixed<uint8_t>() % (lanes + 1);
  const auto near = std::min<uint32_t>(tight, cursor.fixed<uint8_t>() % (lanes + 1));
  const std::vector<uint16_t> values = read_values(cursor);
  std::vector<uint32_t> ids(values.size() / lanes);
  std::iota(ids.begin(), ids.end(), 0u);
  const sketch::Signatures signatures(values, lanes);
  const MappedRows rows(signatures, ids);
  if (ids.empty()) return 0;
  const sketch::Tables tables({.lanes = lanes, .per_key = 1, .tables = table_count});
  Check(tables, rows,
        {.tight = static_cast<uint32_t>(tight), .near = std::max(near, tight > 0 ? 1u : 0u)}, use)
      .run();
  return 0;
}
