// Sorting (key, id) entries by key: what LSH tables, pair lists and duplicate groups are made by.
#pragma once

#include <cstdint>
#include <span>

#include "base/parallel/thread_pool.h"

namespace kith {

struct KeyId {
  uint64_t key;
  uint32_t id;
  friend bool operator==(const KeyId&, const KeyId&) = default;
};

// The same with twice the id: for places in documents, and hashes that go on there.
struct WideKeyId {
  uint64_t key;
  uint64_t id;
  friend bool operator==(const WideKeyId&, const WideKeyId&) = default;
};

// The same with half the key, for buckets of hashes and for ids as keys.
struct ShortKeyId {
  uint32_t key;
  uint32_t id;
  friend bool operator==(const ShortKeyId&, const ShortKeyId&) = default;
};

// With a sum besides: what is known of a pair of ids.
struct ShortKeySum {
  uint32_t key;
  uint32_t id;
  uint32_t sum;
  friend bool operator==(const ShortKeySum&, const ShortKeySum&) = default;
};

// Sorts `values` by key, ascending; entries of equal keys stay in their order, so the result is
// that of std::stable_sort for any number of threads. Radix sort, most significant digit first
// until a part is in cache: bits that are the same in all keys of a part cost nothing. `scratch`
// has at least values.size() entries and holds nothing of use afterwards. No other memory than the
// stack and a few KiB per thread.
void radix_sort(std::span<KeyId> values, std::span<KeyId> scratch, ThreadPool& pool);
void radix_sort(std::span<WideKeyId> values, std::span<WideKeyId> scratch, ThreadPool& pool);
void radix_sort(std::span<ShortKeyId> values, std::span<ShortKeyId> scratch, ThreadPool& pool);
void radix_sort(std::span<ShortKeySum> values, std::span<ShortKeySum> scratch, ThreadPool& pool);

// The same on the calling thread.
void radix_sort(std::span<KeyId> values, std::span<KeyId> scratch);
void radix_sort(std::span<WideKeyId> values, std::span<WideKeyId> scratch);
void radix_sort(std::span<ShortKeyId> values, std::span<ShortKeyId> scratch);

}  // namespace kith
