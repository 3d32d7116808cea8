#include "cluster/lsh_buckets.h"

#include <algorithm>
#include <atomic>

#include "base/check.h"
#include "similar/tables/block_rows.h"
#include "similar/tables/bucket_scan.h"

namespace kith::cluster {

namespace {

// What is known of a row: one place, which a bucket that has it writes to.
struct RowState {
  uint64_t mass = 0;
  uint64_t shared = 0;  // tables of the group at hand, a bit each
};

// Adds the buckets of one table to their members. These lie all over the array, so some buckets
// wait together until their places are fetched.
class BucketAdder {
 public:
  BucketAdder(std::span<RowState> rows, std::span<const uint32_t> weights, uint64_t table_bit)
      : rows_(rows), weights_(weights), table_bit_(table_bit) {}

  // A small bucket.
  void add(std::span<const uint32_t> members) {
    for (const uint32_t row : members) {
      __builtin_prefetch(&rows_[row], 1);
      if (!weights_.empty()) __builtin_prefetch(&weights_[row]);
      waiting_.push_back(row);
    }
    ends_.push_back(waiting_.size());
    if (waiting_.size() >= max_waiting) finish();
  }

  void finish() {
    size_t begin = 0;
    for (const size_t end : ends_) {
      const auto members = std::span(waiting_).subspan(begin, end - begin);
      add_mass(members);
      add_part(members);
      begin = end;
    }
    waiting_.clear();
    ends_.clear();
  }
  // Of a large one, whose members stand close enough for the processor to look ahead: the whole,
  // and the parts that it is split into.
  void add_mass(std::span<const uint32_t> members) {
    uint64_t total = 0;
    for (const uint32_t row : members) total += weight(row);
    for (const uint32_t row : members) rows_[row].mass += total - weight(row);
  }
  void add_part(std::span<const uint32_t> members) {
    for (const uint32_t row : members) rows_[row].shared |= table_bit_;
    added_ += members.size();
  }

  // Rows that share their bucket, or their part of one.
  uint64_t added() const { return added_; }

 private:
  static constexpr size_t max_waiting = 64;

  uint64_t weight(uint32_t row) const { return weights_.empty() ? 1 : weights_[row]; }

  const std::span<RowState> rows_;
  const std::span<const uint32_t> weights_;  // by row; empty: 1 for all
  const uint64_t table_bit_;
  std::vector<uint32_t> waiting_;
  std::vector<size_t> ends_;
  uint64_t added_ = 0;
};

// What the buckets of all tables are added to.
struct Rows {
  std::span<RowState> states;
  std::span<const uint32_t> weights;  // by row; empty: 1 for all
};

// Adds the buckets of the table that the scan has started, and tells how many rows share theirs.
// Large ones wait until all are known, and with them the bound.
uint64_t add_table(similar::BucketScan& scan, similar::BucketSplits& splits, uint32_t table,
                   const Rows& rows, ThreadPool& pool) {
  std::atomic<uint64_t> sharing = 0;
  const uint64_t bit = SharedTables::bit(table);
  const uint64_t least = splits.largest(table);
  std::vector<similar::BucketSizes> by_worker(pool.size());
  // A row is in one bucket of a table, so no two threads write to what is its own.
  pool.for_chunks(scan.partitions(), 1, [&](size_t partition, size_t, unsigned worker) {
    BucketAdder adder(rows.states, rows.weights, bit);
    scan.visit_small(partition, worker, [&](std::span<uint32_t> members) {
      by_worker[worker].add(members.size(), least);
      adder.add(members);
    });
    adder.finish();
    sharing += adder.added();
  });
  std::vector<similar::LargeBucket> large = scan.take_large();
  similar::BucketSizes sizes;
  for (const similar::BucketSizes& some : by_worker) sizes += some;
  for (const similar::LargeBucket& bucket : large) sizes.add(bucket.members.size(), least);
  splits.set_largest(table, similar::raised_bound(least, sizes, rows.states.size()));
  scan.set_whole([&](uint64_t, std::span<const uint32_t> members) {
    for (const uint32_t row : members) rows.states[row].shared |= bit;
    sharing += members.size();
  });
  const auto add_large = [&](similar::LargeBucket& bucket, const auto& split) {
    BucketAdder adder(rows.states, rows.weights, bit);
    adder.add_mass(bucket.members);
    if (bucket.members.size() <= splits.largest_unsplit(table)) {
      adder.add_part(bucket.members);
    } else {
      split(adder);
    }
    sharing += adder.added();
  };
  pool.for_chunks(large.size(), 1, [&](size_t i, size_t, unsigned worker) {
    if (large[i].is_giant()) return;
    add_large(large[i], [&](BucketAdder& adder) {
      scan.split(large[i], worker, [&](std::span<uint32_t> part) { adder.add_part(part); });
    });
  });
  for (similar::LargeBucket& bucket : large) {
    if (!bucket.is_giant()) continue;
    add_large(bucket, [&](BucketAdder& adder) {
      for (const std::span<uint32_t> part : scan.split(bucket)) adder.add_part(part);
    });
  }
  return sharing;
}

// By row; empty where all are 1.
std::vector<uint32_t> weights_of(std::span<const uint32_t> ids,
                                 std::span<const uint32_t> multiplicity) {
  const auto weight = [&](uint32_t id) { return multiplicity.empty() ? 1 : multiplicity[id]; };
  std::vector<uint32_t> weights;
  if (std::ranges::all_of(ids, [&](uint32_t id) { return weight(id) == 1; })) return weights;
  for (const uint32_t id : ids) weights.push_back(weight(id));
  return weights;
}

}  // namespace

// What comes fresh from the kernel is zero.
SharedTables::SharedTables(size_t ids, uint32_t tables)
    : words_(words(tables)), bits_(ids * words_) {}

uint64_t SharedTables::bytes(size_t ids, uint32_t tables) {
  return ids * words(tables) * sizeof(uint64_t);
}

LshBuckets scan_buckets(const sketch::Tables& tables, const sketch::Signatures& signatures,
                        std::span<const uint32_t> ids, std::span<const uint32_t> multiplicity,
                        const BucketOptions& options, ThreadPool& pool) {
  const size_t n = signatures.size();
  KITH_CHECK(multiplicity.empty() || multiplicity.size() == n);
  const uint32_t count = tables.params().tables;
  LshBuckets buckets{tables,
                     similar::BucketSplits(tables, options.largest, options.pivots),
                     SharedTables(n, count),
                     LargeArray<uint64_t>(n),
                     std::vector<uint64_t>(count),
                     {},
                     options.classes};
  const std::vector<uint32_t> weights = weights_of(ids, multiplicity);
  LargeArray<RowState> states(ids.size());
  const similar::MappedRows rows(signatures, ids);
  similar::BucketScan scan(rows, tables, buckets.splits, false, pool,
                           similar::BucketScan::group_within(options.memory, ids.size()));
  scan.set_classes(options.classes);
  const auto for_each_row = [&](const auto& work) {
    constexpr size_t grain = 1 << 14;
    pool.for_chunks(ids.size(), grain, [&](size_t begin, size_t end, unsigned) {
      for (size_t row = begin; row < end; ++row) work(row);
    });
  };
  for (uint32_t table = 0; table < count; ++table) {
    scan.start(table);
    buckets.sharing[table] = add_table(scan, buckets.splits, table, {states.span(), weights}, pool);
    if (!SharedTables::ends_word(table) && table + 1 < count) continue;
    for_each_row([&](size_t row) {
      buckets.shared.set_word(ids[row], table, states[row].shared);
      states[row].shared = 0;
    });
  }
  for_each_row([&](size_t row) {
    const uint64_t equal_bags = weights.empty() ? 0 : weights[row] - 1;
    buckets.mass[ids[row]] = states[row].mass + equal_bags * count;
  });
  buckets.split = scan.splits();
  return buckets;
}

}  // namespace kith::cluster
