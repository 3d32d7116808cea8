#include "jobs/paper/buckets.h"

#include <memory>
#include <optional>
#include <utility>

#include "jobs/paper/rows.h"
#include "similar/tables/bucket_split.h"

namespace kith::jobs {

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

}  // namespace kith::jobs
