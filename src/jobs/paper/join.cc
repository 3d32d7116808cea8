#include "jobs/paper/join.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/parallel/radix_sort.h"
#include "similar/tables/bucket_split.h"

namespace kith::jobs {

Result<std::unique_ptr<PaperRows>> PaperRows::open(storage::FileSystem& fs,
                                                   const PaperSignatureFile& signatures) {
  const std::string path = signatures.low_bytes_path();
  KITH_ASSIGN(auto file, fs.map(path));
  if (file->bytes().size() != signatures.size() * paper_lanes) {
    return Error{ErrorKind::corrupt,
                 fmt::format("{} has another size than when it was written; something else wrote "
                             "to it",
                             path)};
  }
  return std::unique_ptr<PaperRows>(new PaperRows(signatures, std::move(file)));
}

Bytes PaperRows::row_bytes(size_t row) const {
  return file_->bytes().subspan(row * paper_lanes, paper_lanes);
}

uint16_t PaperRows::value(size_t row, uint32_t lane) const {
  return std::to_integer<uint16_t>(row_bytes(row)[lane]);
}

std::span<const uint16_t> PaperRows::values(size_t row, std::span<uint16_t> buffer) const {
  const auto out = buffer.first(paper_lanes);
  std::ranges::transform(row_bytes(row), out.begin(), std::to_integer<uint16_t>);
  return out;
}

std::span<const uint16_t> PaperRows::read(size_t row, std::span<uint16_t> buffer) const {
  std::array<std::byte, paper_lanes> bytes;
  file_->copy(row_bytes(row), bytes.data());
  const auto out = buffer.first(paper_lanes);
  std::ranges::transform(bytes, out.begin(), std::to_integer<uint16_t>);
  return out;
}

void PaperRows::release(size_t begin, size_t end) const {
  if (begin >= end) return;
  file_->release(file_->bytes().subspan(begin * paper_lanes, (end - begin) * paper_lanes));
}

PaperBuckets::PaperBuckets(storage::FileSystem& fs, const PaperSignatureFile& signatures,
                           const sketch::Tables& tables, size_t largest, PaperFilter& filter)
    : fs_(fs), signatures_(signatures), tables_(tables), largest_(largest), filter_(filter) {}

Status PaperBuckets::add_pairs(std::span<const uint32_t> rows) {
  for (size_t i = 0; i < rows.size(); ++i) {
    for (size_t j = i + 1; j < rows.size(); ++j) KITH_TRY(filter_.add(rows[i], rows[j]));
  }
  return Status::ok();
}

Status PaperBuckets::end_bucket(uint64_t key) {
  sizes_.add(bucket_.size(), largest_);
  if (bucket_.size() > largest_) {
    large_.push_back({similar::bucket_key(key), std::move(bucket_)});
  } else {
    KITH_TRY(add_pairs(bucket_));
  }
  bucket_.clear();
  return Status::ok();
}

Status PaperBuckets::add(storage::SortedRecords& keys) {
  uint64_t key = 0;
  for (;;) {
    KITH_ASSIGN(const auto block, keys.next());
    if (block.empty()) break;
    for (const KeyId& entry : block) {
      if (entry.key != key) {
        KITH_TRY(end_bucket(key));
        key = entry.key;
      }
      bucket_.push_back(entry.id);
    }
  }
  return end_bucket(key);
}

Status PaperBuckets::end_round(uint32_t round) {
  KITH_TRY(divide(round, similar::raised_bound(largest_, sizes_, signatures_.size())));
  sizes_ = {};
  large_.clear();
  return Status::ok();
}

Status PaperBuckets::divide(uint32_t round, size_t bound) {
  // Nobody asks afterwards in which part a row was, so that splits are remembered for one round.
  std::optional<similar::BucketSplits> splits;
  std::unique_ptr<PaperRows> rows;
  for (similar::LargeBucket& bucket : large_) {
    if (bucket.members.size() <= bound) {
      KITH_TRY(add_pairs(bucket.members));
      continue;
    }
    if (!rows) {
      KITH_ASSIGN(rows, PaperRows::open(fs_, signatures_));
      splits.emplace(tables_, bound);
    }
    const uint64_t members = bucket.members.size();
    splits_ += {.buckets = 1, .members = members, .largest = members};
    Status status;
    splits->split(round, bucket.key, *rows, bucket.members, [&](std::span<uint32_t> part) {
      if (status) status = add_pairs(part);
    });
    KITH_TRY(std::move(status));
  }
  return Status::ok();
}

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

PaperLanes lanes_of(const sketch::Tables& tables, uint32_t round) {
  PaperLanes lanes;
  std::ranges::copy(tables.subset(round), lanes.begin());
  return lanes;
}

// Step 1 of a round: (key, row) of all rows, sorted.
Result<storage::SortedRecords> sorted_keys(storage::FileSystem& fs,
                                           const PaperSignatureFile& signatures,
                                           const PaperLanes& lanes,
                                           const storage::ExternalSortOptions& options,
                                           ThreadPool& pool) {
  storage::ExternalSort sort(fs, pool, options);
  const auto append = [&](std::span<const KeyId> keys) -> Status {
    for (const KeyId& key : keys) KITH_TRY(sort.append(key));
    return Status::ok();
  };
  KITH_TRY(signatures.keys(lanes, append));
  return sort.finish();
}

// The next different pairs of a sorted stream, up to a number of them.
class DistinctPairs {
 public:
  DistinctPairs(storage::SortedRecords& records, const PaperSignatureFile& signatures)
      : records_(records), signatures_(signatures) {}

  // Their sums are still to be found. Empty at the end.
  Status next(size_t most, std::vector<similar::Pair>& pairs) {
    pairs.clear();
    while (pairs.size() < most) {
      if (block_.empty()) {
        KITH_ASSIGN(block_, records_.next());
        if (block_.empty()) break;
      }
      const uint64_t key = block_.front().key;
      block_ = block_.subspan(1);
      if (key == last_) continue;
      last_ = key;
      pairs.push_back({signatures_.id(key >> 32), signatures_.id(static_cast<uint32_t>(key)), 0});
    }
    return Status::ok();
  }

 private:
  storage::SortedRecords& records_;
  const PaperSignatureFile& signatures_;
  std::span<const KeyId> block_;
  uint64_t last_ = 0;  // no pair: a row is none with itself
};

}  // namespace

Result<storage::SortedRecords> paper_join(storage::FileSystem& fs,
                                          const PaperSignatureFile& signatures,
                                          const PaperJoinOptions& options, ThreadPool& pool,
                                          PaperJoinReport& report,
                                          const std::function<void(double share)>& progress) {
  const storage::ExternalSortOptions keys_options{.scratch = options.scratch + ".keys",
                                                  .memory = options.memory.bytes(Share::paper_keys),
                                                  .block = options.block};
  storage::ExternalSort survivors(fs, pool,
                                  {.scratch = options.scratch + ".survivors",
                                   .memory = options.memory.bytes(Share::paper_survivors),
                                   .block = options.block});
  const auto keep = [&](uint32_t a, uint32_t b, uint32_t equal) {
    ++report.counts.passed;
    return survivors.append({uint64_t{a} << 32 | b, equal});
  };
  auto start = Clock::now();
  KITH_ASSIGN(PaperFilter filter,
              PaperFilter::create(fs, signatures,
                                  {.scratch = options.scratch + ".candidates",
                                   .memory = options.memory.share(Share::paper_filter)},
                                  pool, keep));
  const sketch::Tables tables(paper_table_params(options.seed));
  PaperBuckets buckets(fs, signatures, tables, options.largest_bucket, filter);
  for (uint32_t round = 0; round < paper_tables; ++round) {
    {
      KITH_ASSIGN(auto keys,
                  sorted_keys(fs, signatures, lanes_of(tables, round), keys_options, pool));
      KITH_TRY(buckets.add(keys));
    }
    KITH_TRY(buckets.end_round(round));
    KITH_TRY(filter.end_round());
    if (progress) progress((round + 1.0) / paper_tables);
  }
  report.counts.collisions = filter.candidates();
  report.counts.split_buckets = buckets.splits().buckets;
  report.counts.split_members = buckets.splits().members;
  report.counts.largest_split = buckets.splits().largest;
  report.counts.blocks = filter.blocks();
  report.filter_seconds = filter.seconds();
  report.pair_seconds = seconds_since(start) - filter.seconds();
  start = Clock::now();
  KITH_ASSIGN(auto sorted, survivors.finish());
  report.sort_seconds = seconds_since(start);
  return sorted;
}

Status verify_survivors(storage::SortedRecords& survivors, const PaperSignatureFile& signatures,
                        const sketch::BagCollection& bags, uint32_t min_sum, uint64_t memory,
                        ThreadPool& pool, PaperJoinReport& report, const VerifiedSink& sink) {
  constexpr size_t block = size_t{1} << 14;
  const bool fit = bags.entries().size_bytes() <= memory;
  DistinctPairs distinct(survivors, signatures);
  std::vector<similar::Pair> pairs;
  for (;;) {
    KITH_TRY(distinct.next(block, pairs));
    if (pairs.empty()) return Status::ok();
    report.counts.candidates += pairs.size();
    pool.for_chunks(pairs.size(), 512, [&](size_t begin, size_t end, unsigned) {
      std::vector<sketch::BagEntry> a;
      std::vector<sketch::BagEntry> b;
      for (similar::Pair& pair : std::span(pairs).subspan(begin, end - begin)) {
        pair.sum_of_minima =
            fit ? sketch::sum_of_minima(bags[pair.a], bags[pair.b])
                : sketch::sum_of_minima(bags.read(pair.a, a), bags.read(pair.b, b));
      }
    });
    std::erase_if(pairs, [&](const similar::Pair& pair) { return pair.sum_of_minima < min_sum; });
    report.counts.similar += pairs.size();
    KITH_TRY(sink(pairs));
  }
}

Status write_pair_lists(storage::FileSystem& fs, const std::string& path, size_t n,
                        storage::SortedRecords& directions) {
  KITH_ASSIGN(auto file, run::NeighboursWriter::create(fs, path));
  std::vector<similar::Neighbour> list;
  uint32_t id = 0;
  const auto end_list = [&]() -> Status {
    KITH_TRY(file.add(list, static_cast<uint32_t>(list.size())));
    list.clear();
    ++id;
    return Status::ok();
  };
  for (;;) {
    KITH_ASSIGN(const auto block, directions.next());
    if (block.empty()) break;
    for (const KeyId& entry : block) {
      while (id < entry.key >> 32) KITH_TRY(end_list());
      list.push_back({static_cast<uint32_t>(entry.key), entry.id});
    }
  }
  while (id < n) KITH_TRY(end_list());
  return file.finish();
}

Result<run::Neighbours> open_pair_lists(storage::FileSystem& fs, const std::string& path,
                                        size_t n) {
  KITH_ASSIGN(auto lists, run::Neighbours::open(fs, path));
  if (lists.size() == n) return lists;
  return Error{ErrorKind::corrupt,
               fmt::format("{}: its files come from different runs; remove the run directory and "
                           "run the same command again",
                           path)};
}

void ResidentLists::touch(uint64_t bytes) {
  constexpr uint64_t most = 8 << 20;
  if (read_.fetch_add(bytes, std::memory_order_relaxed) + bytes < most) return;
  read_.store(0, std::memory_order_relaxed);
  lists_.release();
}

}  // namespace kith::jobs
