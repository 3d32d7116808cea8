#include "base/hash.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <new>
#include <utility>

#include <xxhash.h>

namespace kith {

uint64_t hash64(std::string_view bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}

uint64_t hash64(std::span<const std::byte> bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}

Key128 hash128(std::string_view bytes) {
  const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  return {hash.high64, hash.low64};
}

StreamHash::StreamHash() : state_(XXH3_createState()) {
  if (state_ == nullptr) throw std::bad_alloc();
  XXH3_64bits_reset(static_cast<XXH3_state_t*>(state_));
}
StreamHash::~StreamHash() {
  XXH3_freeState(static_cast<XXH3_state_t*>(state_));
}
StreamHash::StreamHash(StreamHash&& other) noexcept
    : state_(std::exchange(other.state_, nullptr)) {}
StreamHash& StreamHash::operator=(StreamHash&& other) noexcept {
  std::swap(state_, other.state_);
  return *this;
}

void StreamHash::update(std::span<const std::byte> bytes) {
  XXH3_64bits_update(static_cast<XXH3_state_t*>(state_), bytes.data(), bytes.size());
}

uint64_t StreamHash::digest() const {
  return XXH3_64bits_digest(static_cast<const XXH3_state_t*>(state_));
}

void TagTable::grow(size_t slots) {
  LargeArray<Slot> smaller(slots);
  std::swap(smaller, slots_);
  for (const Slot& slot : smaller.span()) {
    if (slot.taken != 0) insert(slot);
  }
}

// What stands behind moves up where its search began at the free slot or before (Knuth, The Art of
// Computer Programming, vol. 3, 6.4, algorithm R).
void TagTable::remove(uint64_t hash, uint32_t number) {
  size_t gap = home(tag_of(hash));
  while (slots_[gap].taken != number + 1) gap = after(gap);
  const auto distance = [&](size_t from, size_t to) {
    return to >= from ? to - from : to + slots_.size() - from;
  };
  for (size_t at = after(gap); slots_[at].taken != 0; at = after(at)) {
    if (distance(home(slots_[at].tag), at) < distance(gap, at)) continue;
    slots_[gap] = slots_[at];
    gap = at;
  }
  slots_[gap] = {};
  --size_;
}

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
