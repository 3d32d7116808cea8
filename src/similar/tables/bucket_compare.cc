#include "similar/tables/bucket_compare.h"

#include <algorithm>
#include <cstring>

namespace kith::similar {
namespace {

constexpr size_t batch = 256;  // rows that are fetched together
constexpr size_t tile = 128;   // rows of low bytes that stay in the first cache

}  // namespace

BucketComparer::BucketComparer(const BlockRows& rows, const sketch::Tables& tables,
                               const sketch::SubsetMasks& masks, const BucketPlaces& places,
                               bool places_known, CandidateRule rule)
    : rows_(rows),
      tables_(tables),
      masks_(masks),
      places_(places),
      places_known_(places_known),
      rule_(rule),
      kernels_(sketch::row_kernels()),
      lanes_(rows.lanes()),
      selected_(tile),
      equal_(masks.words()),
      equal_high_(masks.words()),
      values_(lanes_) {}

void BucketComparer::add(uint32_t table, std::span<const uint32_t> members) {
  if (members.size() < 2) return;
  if (rule_.border > 0 && (members.front() >= rule_.border || members.back() < rule_.border)) {
    return;
  }
  table_ = table;
  members_.insert(members_.end(), members.begin(), members.end());
  ends_.push_back(members_.size());
  if (members_.size() >= batch) finish();
}

void BucketComparer::finish() {
  fetch();
  size_t begin = 0;
  for (const size_t end : ends_) {
    compare(begin, end);
    begin = end;
  }
  members_.clear();
  ends_.clear();
}

void BucketComparer::fetch() {
  constexpr size_t ahead = 8;
  const size_t count = members_.size();
  low_.clear();
  high_.clear();
  const std::span<uint8_t> low = low_.grow(count * lanes_);
  const std::span<uint8_t> high = high_.grow(count * lanes_);
  for (size_t i = 0; i < std::min(ahead, count); ++i) rows_.prefetch(members_[i]);
  for (size_t i = 0; i < count; ++i) {
    if (i + ahead < count) rows_.prefetch(members_[i + ahead]);
    std::memcpy(&low[i * lanes_], rows_.low(members_[i]), lanes_);
    std::memcpy(&high[i * lanes_], rows_.high(members_[i]), lanes_);
  }
}

void BucketComparer::compare(uint32_t table, std::span<const uint32_t> left,
                             std::span<const uint32_t> right) {
  finish();
  table_ = table;
  members_.assign(left.begin(), left.end());
  members_.insert(members_.end(), right.begin(), right.end());
  fetch();
  compare_across(0, left.size(), members_.size());
  members_.clear();
}

void BucketComparer::compare(size_t begin, size_t end) {
  if (rule_.border > 0) {
    const auto border =
        std::partition_point(members_.begin() + static_cast<ptrdiff_t>(begin),
                             members_.begin() + static_cast<ptrdiff_t>(end),
                             [&](uint32_t member) { return member < rule_.border; });
    return compare_across(begin, static_cast<size_t>(border - members_.begin()), end);
  }
  // Tile by tile, every row before it against the rows of the tile.
  for (size_t first = begin; first < end; first += tile) {
    const size_t last = std::min(end, first + tile);
    for (size_t row = begin; row < last; ++row) {
      compare_row(row, std::max(first, row + 1), last);
    }
  }
}

// The same of rows before the border against those behind it.
void BucketComparer::compare_across(size_t begin, size_t border, size_t end) {
  for (size_t first = border; first < end; first += tile) {
    const size_t last = std::min(end, first + tile);
    for (size_t row = begin; row < border; ++row) compare_row(row, first, last);
  }
}

void BucketComparer::compare_row(size_t row, size_t begin, size_t end) {
  const size_t count = end - begin;
  compared_ += count;
  const size_t found = kernels_.select(&low_[row * lanes_], &low_[begin * lanes_], lanes_, count,
                                       rule_.min_count, selected_.data());
  passed_ += found;
  for (size_t i = 0; i < found; ++i) {
    const size_t other = begin + selected_[i];
    if (!first_meeting(row, other)) continue;
    const uint32_t a = rows_.id(members_[row]);
    const uint32_t b = rows_.id(members_[other]);
    candidates_.push_back({std::min(a, b), std::max(a, b)});
  }
}

bool BucketComparer::first_meeting(size_t a, size_t b) {
  kernels_.equal_bits(&low_[a * lanes_], &low_[b * lanes_], lanes_, equal_.data());
  kernels_.equal_bits(&high_[a * lanes_], &high_[b * lanes_], lanes_, equal_high_.data());
  for (size_t word = 0; word < equal_.size(); ++word) equal_[word] &= equal_high_[word];
  if (!masks_.within(table_, equal_)) return false;  // a chance agreement of keys
  const auto met = [&](uint32_t table) { return meeting(table, members_[a], members_[b]); };
  for (uint32_t table = 0;; ++table) {
    table = masks_.first_within(equal_, table, table_);
    if (table == table_) return !places_known_ || met(table) == Meeting::in_bucket;
    if (met(table) != Meeting::none) return false;
  }
}

BucketComparer::Meeting BucketComparer::meeting(uint32_t table, uint32_t a, uint32_t b) {
  if (!places_.any(table)) return Meeting::in_bucket;
  for (const uint16_t lane : tables_.subset(table)) values_[lane] = rows_.value(a, lane);
  const uint64_t key = tables_.key(table, values_);
  const BucketPlace place = places_.place(table, key, rows_, a);
  if (place.is_split && place.part != places_.place(table, key, rows_, b).part) {
    return Meeting::none;
  }
  return place.is_whole ? Meeting::in_whole_part : Meeting::in_bucket;
}

}  // namespace kith::similar
