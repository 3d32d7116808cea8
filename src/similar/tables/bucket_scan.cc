#include "similar/tables/bucket_scan.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <iterator>
#include <limits>
#include <span>
#include <vector>

#include "base/check.h"
#include "base/hash.h"

namespace kith::similar {
namespace {

// Of a bucket whose parts are of at most `bound`.
uint64_t comparisons(uint64_t size, uint64_t bound) {
  return size * (std::min(size, bound) - 1) / 2;
}

uint64_t comparisons(const BucketSizes& sizes, uint64_t bound) {
  uint64_t sum = sizes.small;
  for (const uint64_t members : sizes.large) sum += comparisons(members, bound);
  return sum;
}

}  // namespace

void BucketSizes::add(uint64_t members, uint64_t bound) {
  if (members <= bound) {
    small += comparisons(members, bound);
  } else {
    large.push_back(members);
  }
}

BucketSizes& BucketSizes::operator+=(const BucketSizes& more) {
  small += more.small;
  large.insert(large.end(), more.large.begin(), more.large.end());
  return *this;
}

uint64_t raised_bound(uint64_t bound, const BucketSizes& sizes, size_t rows) {
  if (sizes.large.empty()) return bound;
  const uint64_t granted = comparisons(rows, bound) / 2;
  const uint64_t enough = std::ranges::max(sizes.large);
  while (bound < enough && comparisons(sizes, 2 * bound) <= granted) bound *= 2;
  return bound;
}

void raise_bounds(const SignatureRows& rows, const sketch::Tables& tables, BucketSplits& splits,
                  uint64_t memory, ThreadPool& pool) {
  constexpr size_t whole = std::numeric_limits<size_t>::max();
  BucketSplits none(tables, whole);
  const uint32_t group = BucketScan::group_within(memory, rows.size());
  BucketScan scan(rows, tables, none, false, pool, group);
  for (uint32_t table = 0; table < tables.params().tables; ++table) {
    const uint64_t bound = splits.largest(table);
    if (rows.size() <= bound) continue;
    scan.start(table);
    std::vector<BucketSizes> by_worker(pool.size());
    pool.for_chunks(scan.partitions(), 1, [&](size_t partition, size_t, unsigned worker) {
      scan.visit(partition, worker, [&](std::span<uint32_t> members) {
        by_worker[worker].add(members.size(), bound);
      });
    });
    BucketSizes all;
    for (const BucketSizes& sizes : by_worker) all += sizes;
    splits.set_largest(table, raised_bound(bound, all, rows.size()));
  }
}

namespace {

constexpr size_t partition_rows = 8192;  // on average: in cache with their sorted copy
constexpr unsigned max_partition_bits = 11;
constexpr size_t rows_per_chunk = 1 << 11;

unsigned partition_bits(size_t rows) {
  const auto bits = static_cast<unsigned>(std::bit_width(rows / partition_rows));
  return std::clamp(bits, 1u, max_partition_bits);
}

}  // namespace

SplitStats& SplitStats::operator+=(const SplitStats& more) {
  buckets += more.buckets;
  members += more.members;
  largest = std::max(largest, more.largest);
  return *this;
}

uint32_t BucketScan::group_within(uint64_t memory, size_t rows) {
  uint32_t group = max_group;
  while (group > 1 && rows * bytes_per_row(group) > memory) --group;
  return group;
}

BucketScan::BucketScan(const SignatureRows& rows, const sketch::Tables& tables,
                       BucketSplits& splits, bool splits_known, ThreadPool& pool, uint32_t group)
    : rows_(rows),
      tables_(tables),
      splits_(splits),
      splits_known_(splits_known),
      pool_(pool),
      group_(std::min(group, tables.params().tables)),
      partition_bits_(partition_bits(rows.size())),
      keys_(rows.size() * group_),
      entries_(rows.size()),
      ends_(size_t{1} << partition_bits_),
      workers_(pool.size()) {
  KITH_CHECK(group >= 1 && group <= max_group);
}

void BucketScan::start(uint32_t table) {
  KITH_CHECK(table < tables_.params().tables);
  table_ = table;
  const uint32_t in_group = table % group_;
  if (in_group == 0) make_keys(table, std::min(group_, tables_.params().tables - table));
  deal(keys_.data() + in_group * rows_.size());
}

void BucketScan::make_keys(uint32_t first, uint32_t count) {
  pool_.for_chunks(rows_.size(), rows_per_chunk, [&](size_t begin, size_t end, unsigned) {
    std::vector<uint16_t> buffer(rows_.lanes());
    std::array<uint64_t, max_group> keys;
    for (size_t row = begin; row < end; ++row) {
      const uint32_t id = rows_.id(row);
      tables_.keys(first, rows_.values(row, buffer), std::span(keys).first(count));
      for (uint32_t i = 0; i < count; ++i) {
        uint64_t key = classes_.key(keys[i], id);
        if (splits_known_) key = key_of(first + i, key, static_cast<uint32_t>(row));
        keys_[i * rows_.size() + row] = bucket_key(key);
      }
    }
    rows_.release(begin, end);
  });
}

// What is in a whole part stands alone. (By chance it meets a stranger, as all do.)
uint64_t BucketScan::key_of(uint32_t table, uint64_t table_key, uint32_t row) const {
  const BucketPlace place = splits_.place(table, table_key, rows_, row);
  return place.is_whole ? mix64(place.part + rows_.id(row)) : place.part;
}

void BucketScan::deal(const uint32_t* keys) {
  const size_t n = rows_.size();
  const unsigned shift = 32 - partition_bits_;
  const auto share = [&](unsigned worker) { return n * worker / pool_.size(); };
  pool_.run([&](unsigned worker) {
    std::vector<uint32_t>& counts = workers_[worker].ends;
    counts.assign(ends_.size(), 0);
    for (size_t row = share(worker); row < share(worker + 1); ++row) ++counts[keys[row] >> shift];
  });
  size_t sum = 0;
  for (size_t partition = 0; partition < ends_.size(); ++partition) {
    for (Worker& worker : workers_) {
      const uint32_t count = worker.ends[partition];
      worker.ends[partition] = static_cast<uint32_t>(sum);
      sum += count;
    }
    ends_[partition] = sum;
  }
  pool_.run([&](unsigned worker) {
    std::vector<uint32_t>& next = workers_[worker].ends;
    for (size_t row = share(worker); row < share(worker + 1); ++row) {
      entries_[next[keys[row] >> shift]++] = {keys[row], static_cast<uint32_t>(row)};
    }
  });
}

// Calls visit for those of at least two rows.
void BucketScan::for_each_bucket(size_t partition, Worker& worker, const VisitBucket& visit) {
  const size_t begin = partition == 0 ? 0 : ends_[partition - 1];
  const std::span<ShortKeyId> entries = entries_.span().subspan(begin, ends_[partition] - begin);
  if (worker.scratch.size() < entries.size()) worker.scratch.resize(entries.size());
  radix_sort(entries, worker.scratch);
  for (size_t first = 0, last = 0; first < entries.size(); first = last) {
    while (last < entries.size() && entries[last].key == entries[first].key) ++last;
    if (last - first < 2) continue;
    worker.members.clear();
    for (size_t i = first; i < last; ++i) worker.members.push_back(entries[i].id);
    visit(entries[first].key, worker.members);
  }
}

void BucketScan::split(uint32_t key, std::span<uint32_t> members, Worker& worker,
                       const Visit& visit, ThreadPool* pool) {
  const size_t divided = splits_.split(table_, key, rows_, members, visit, visit_whole_, pool);
  if (divided > 0) worker.splits += {.buckets = 1, .members = divided, .largest = divided};
}

void BucketScan::visit(size_t partition, unsigned worker_number, const Visit& visit) {
  Worker& worker = workers_[worker_number];
  for_each_bucket(partition, worker, [&](uint32_t key, std::span<uint32_t> members) {
    if (members.size() <= splits_.largest_unsplit(table_) || splits_known_) {
      visit(members);
    } else if (members.size() > LargeBucket::giant) {
      worker.large.push_back({key, {members.begin(), members.end()}});
    } else {
      split(key, members, worker, visit, nullptr);
    }
  });
}

void BucketScan::visit_small(size_t partition, unsigned worker_number, const Visit& visit) {
  Worker& worker = workers_[worker_number];
  for_each_bucket(partition, worker, [&](uint32_t key, std::span<uint32_t> members) {
    if (members.size() <= splits_.largest_unsplit(table_)) {
      visit(members);
    } else {
      worker.large.push_back({key, {members.begin(), members.end()}});
    }
  });
}

std::vector<LargeBucket> BucketScan::take_large() {
  std::vector<LargeBucket> large;
  for (Worker& worker : workers_) {
    std::ranges::move(worker.large, std::back_inserter(large));
    worker.large.clear();
  }
  std::ranges::sort(large, {}, &LargeBucket::key);
  return large;
}

void BucketScan::split(LargeBucket& bucket, unsigned worker, const Visit& visit) {
  split(bucket.key, bucket.members, workers_[worker], visit, nullptr);
}

std::vector<std::span<uint32_t>> BucketScan::split(LargeBucket& bucket) {
  std::vector<std::span<uint32_t>> parts;
  split(
      bucket.key, bucket.members, workers_.front(),
      [&](std::span<uint32_t> part) { parts.push_back(part); }, &pool_);
  return parts;
}

SplitStats BucketScan::splits() const {
  SplitStats sum;
  for (const Worker& worker : workers_) sum += worker.splits;
  return sum;
}

}  // namespace kith::similar
