#include "base/sort_hashes.h"

#include <algorithm>
#include <bit>
#include <cstddef>

namespace kith {
namespace {

constexpr size_t worth_buckets = 64;      // fewer values are sorted as they are
constexpr size_t worth_memory = 1 << 18;  // more values are sorted in place
constexpr size_t values_per_bucket = 1;   // on average
constexpr uint32_t max_bits = 16;         // of a bucket's number: counters that fit the cache
constexpr uint32_t large_bucket = 32;     // hashes hardly ever make one

// Values that stand near their place already.
void insertion_sort(std::vector<uint64_t>& values) {
  for (size_t i = 1; i < values.size(); ++i) {
    const uint64_t value = values[i];
    size_t at = i;
    for (; at > 0 && values[at - 1] > value; --at) values[at] = values[at - 1];
    values[at] = value;
  }
}

}  // namespace

void HashSorter::sort(std::vector<uint64_t>& values) {
  if (values.size() < worth_buckets || values.size() > worth_memory) {
    std::sort(values.begin(), values.end());
    return;
  }
  const auto bits = std::min<uint32_t>(
      static_cast<uint32_t>(std::bit_width(values.size() / values_per_bucket)), max_bits);
  const uint32_t shift = 64 - bits;
  const size_t buckets = size_t{1} << bits;
  bucket_at_.assign(buckets + 1, 0);
  for (const uint64_t value : values) ++bucket_at_[(value >> shift) + 1];
  for (size_t i = 1; i <= buckets; ++i) bucket_at_[i] += bucket_at_[i - 1];
  sorted_.resize(values.size());
  for (const uint64_t value : values) sorted_[bucket_at_[value >> shift]++] = value;
  // bucket_at_[i] is where bucket i ends now.
  uint32_t begin = 0;
  for (size_t i = 0; i < buckets; ++i) {
    const uint32_t end = bucket_at_[i];
    if (end - begin > large_bucket) {
      std::sort(sorted_.begin() + begin, sorted_.begin() + end);
    }
    begin = end;
  }
  insertion_sort(sorted_);
  values.swap(sorted_);
}

}  // namespace kith
