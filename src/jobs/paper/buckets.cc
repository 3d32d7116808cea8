#include "jobs/paper/buckets.h"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>

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

}  // namespace kith::jobs
