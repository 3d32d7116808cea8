#include "base/parallel/radix_sort.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <numeric>
#include <vector>

#include "base/check.h"

namespace kith {
namespace {

constexpr size_t small_part = 48;          // sorted by insertion
constexpr size_t parallel_from = 1 << 14;  // below this, threads cost more than they bring
constexpr unsigned digit_bits = 8;
constexpr size_t digits = size_t{1} << digit_bits;
// Entries that stay in cache may be dealt out to many more places at once: to as many as there are
// values of wide digits, least significant first, where there are entries enough for the counts of
// these; else to so many that few share one, and insertion does the rest.
constexpr size_t cached_part = 1 << 17;
constexpr unsigned widest_digit_bits = 12;
constexpr unsigned max_passes = 3;
constexpr size_t counts_an_entry = 8;
constexpr size_t cell_entries = 4;

using Counts = std::array<size_t, digits>;

// The digit of a key that begins at the highest of the bits in which keys differ.
struct Digit {
  unsigned shift;
  uint64_t mask;
  explicit Digit(uint64_t differing, unsigned bits = digit_bits) : mask((uint64_t{1} << bits) - 1) {
    const auto width = static_cast<unsigned>(std::bit_width(differing));
    shift = width > bits ? width - bits : 0;
  }
  size_t operator()(uint64_t key) const { return (key >> shift) & mask; }
};

template <class Entry>
uint64_t differing_bits(std::span<const Entry> values) {
  uint64_t differing = 0;
  for (const Entry& value : values) differing |= value.key ^ values.front().key;
  return differing;
}

template <class Entry>
void copy(std::span<const Entry> from, Entry* to) {
  if (!from.empty()) std::memcpy(to, from.data(), from.size_bytes());
}

// Sorts into `to`, which may be `from` itself.
template <class Entry>
void insertion_sort(std::span<const Entry> from, Entry* to) {
  for (size_t i = 0; i < from.size(); ++i) {
    const Entry value = from[i];
    size_t j = i;
    for (; j > 0 && to[j - 1].key > value.key; --j) to[j] = to[j - 1];
    to[j] = value;
  }
}

template <class Entry>
void sort_part(std::span<Entry> values, Entry* other, bool to_other);

// Deals the values out to `other` by a digit and sorts the part of each; ends: room for a number
// for every value of the digit.
template <class Entry, class Count>
void sort_by_digit(std::span<Entry> values, Entry* other, bool to_other, Digit digit,
                   std::span<Count> ends) {
  std::ranges::fill(ends, 0);
  for (const Entry& value : values) ++ends[digit(value.key)];
  Count sum = 0;
  for (Count& end : ends) {
    const Count count = end;
    end = sum;
    sum += count;
  }
  for (const Entry& value : values) other[ends[digit(value.key)]++] = value;
  if (digit.shift == 0) {
    if (!to_other) copy<Entry>({other, values.size()}, values.data());
    return;
  }
  size_t begin = 0;
  for (const size_t end : ends) {
    sort_part<Entry>({other + begin, end - begin}, values.data() + begin, !to_other);
    begin = end;
  }
}

// Sorts by all bits in which keys differ, the lowest `width`, in equal digits, least significant
// first. No branch depends on the keys.
template <class Entry, unsigned passes>
void sort_by_all_digits(std::span<Entry> values, Entry* other, bool to_other, unsigned width) {
  const unsigned bits = (width + passes - 1) / passes;
  const uint64_t mask = (uint64_t{1} << bits) - 1;
  const auto digit = [&](const Entry& value, unsigned pass) {
    return (value.key >> pass * bits) & mask;
  };
  std::array<std::array<uint32_t, size_t{1} << widest_digit_bits>, passes> next;
  for (auto& counts : next) std::fill_n(counts.begin(), mask + 1, 0);
  for (const Entry& value : values) {
    for (unsigned pass = 0; pass < passes; ++pass) ++next[pass][digit(value, pass)];
  }
  Entry* from = values.data();
  Entry* to = other;
  for (unsigned pass = 0; pass < passes; ++pass) {
    uint32_t* const places = next[pass].data();
    std::exclusive_scan(places, places + mask + 1, places, uint32_t{0});
    for (size_t i = 0; i < values.size(); ++i) to[places[digit(from[i], pass)]++] = from[i];
    std::swap(from, to);
  }
  const bool in_other = passes % 2 == 1;
  if (in_other != to_other) copy<Entry>({from, values.size()}, to);
}

// The same, if the values are enough for the counts of so many digits; else false.
template <class Entry>
bool sort_by_all_digits(std::span<Entry> values, Entry* other, bool to_other, unsigned width) {
  const unsigned passes = (width + widest_digit_bits - 1) / widest_digit_bits;
  if (passes > max_passes) return false;
  const unsigned bits = (width + passes - 1) / passes;
  if (passes << bits > values.size() * counts_an_entry) return false;
  if (passes == 1) sort_by_all_digits<Entry, 1>(values, other, to_other, width);
  if (passes == 2) sort_by_all_digits<Entry, 2>(values, other, to_other, width);
  if (passes == 3) sort_by_all_digits<Entry, 3>(values, other, to_other, width);
  return true;
}

// Sorts `values` with the help of `other`, an array of the same size; the result lands in
// `other` if to_other, else in `values`. Recursion is at most 16 deep: a digit has 4 bits or more.
template <class Entry>
void sort_part(std::span<Entry> values, Entry* other, bool to_other) {
  if (values.size() <= small_part)
    return insertion_sort<Entry>(values, to_other ? other : values.data());
  const uint64_t differing = differing_bits<Entry>(values);
  if (differing == 0) {
    if (to_other) copy<Entry>(values, other);
    return;
  }
  if (values.size() > cached_part) {
    Counts ends;
    return sort_by_digit<Entry, size_t>(values, other, to_other, Digit(differing), ends);
  }
  const auto width = static_cast<unsigned>(std::bit_width(differing));
  if (sort_by_all_digits(values, other, to_other, width)) return;
  const auto bits = std::min(static_cast<unsigned>(std::bit_width(values.size() / cell_entries)),
                             widest_digit_bits);
  std::array<uint32_t, size_t{1} << widest_digit_bits> ends;
  sort_by_digit(values, other, to_other, Digit(differing, bits),
                std::span(ends).first(size_t{1} << bits));
}

// The part of worker w of `workers` when n things are dealt out in order.
std::pair<size_t, size_t> share_of(size_t n, unsigned w, unsigned workers) {
  return {n * w / workers, n * (w + 1) / workers};
}

template <class Entry>
uint64_t differing_bits(std::span<const Entry> values, ThreadPool& pool) {
  std::vector<uint64_t> differing(pool.size());
  pool.run([&](unsigned worker) {
    const auto [begin, end] = share_of(values.size(), worker, pool.size());
    uint64_t mine = 0;
    for (size_t i = begin; i < end; ++i) mine |= values[i].key ^ values.front().key;
    differing[worker] = mine;
  });
  uint64_t all = 0;
  for (const uint64_t mine : differing) all |= mine;
  return all;
}

// Moves the values into `to`, grouped by digit and otherwise in their order. Returns where each
// digit ends.
template <class Entry>
Counts scatter(std::span<const Entry> values, Entry* to, Digit digit, ThreadPool& pool) {
  std::vector<Counts> next(pool.size());
  pool.run([&](unsigned worker) {
    const auto [begin, end] = share_of(values.size(), worker, pool.size());
    Counts counts{};
    for (size_t i = begin; i < end; ++i) ++counts[digit(values[i].key)];
    next[worker] = counts;
  });
  Counts ends;
  size_t sum = 0;
  for (size_t d = 0; d < digits; ++d) {
    for (Counts& counts : next) {
      const size_t count = counts[d];
      counts[d] = sum;
      sum += count;
    }
    ends[d] = sum;
  }
  pool.run([&](unsigned worker) {
    const auto [begin, end] = share_of(values.size(), worker, pool.size());
    Counts mine = next[worker];
    for (size_t i = begin; i < end; ++i) to[mine[digit(values[i].key)]++] = values[i];
  });
  return ends;
}

template <class Entry>
void sort_alone(std::span<Entry> values, std::span<Entry> scratch) {
  KITH_CHECK(scratch.size() >= values.size());
  sort_part(values, scratch.data(), false);
}

template <class Entry>
void sort_together(std::span<Entry> values, std::span<Entry> scratch, ThreadPool& pool) {
  if (pool.size() == 1 || values.size() < parallel_from) return sort_alone(values, scratch);
  KITH_CHECK(scratch.size() >= values.size());
  const uint64_t differing = differing_bits<Entry>(values, pool);
  if (differing == 0) return;
  const Digit digit(differing);
  const Counts ends = scatter<Entry>(values, scratch.data(), digit, pool);
  pool.for_chunks(digits, 1, [&](size_t first, size_t last, unsigned) {
    for (size_t d = first; d < last; ++d) {
      const size_t begin = d == 0 ? 0 : ends[d - 1];
      sort_part(scratch.subspan(begin, ends[d] - begin), values.data() + begin, true);
    }
  });
}

}  // namespace

void radix_sort(std::span<KeyId> values, std::span<KeyId> scratch) {
  sort_alone(values, scratch);
}
void radix_sort(std::span<WideKeyId> values, std::span<WideKeyId> scratch) {
  sort_alone(values, scratch);
}
void radix_sort(std::span<ShortKeyId> values, std::span<ShortKeyId> scratch) {
  sort_alone(values, scratch);
}
void radix_sort(std::span<KeyId> values, std::span<KeyId> scratch, ThreadPool& pool) {
  sort_together(values, scratch, pool);
}
void radix_sort(std::span<WideKeyId> values, std::span<WideKeyId> scratch, ThreadPool& pool) {
  sort_together(values, scratch, pool);
}
void radix_sort(std::span<ShortKeyId> values, std::span<ShortKeyId> scratch, ThreadPool& pool) {
  sort_together(values, scratch, pool);
}
void radix_sort(std::span<ShortKeySum> values, std::span<ShortKeySum> scratch, ThreadPool& pool) {
  sort_together(values, scratch, pool);
}

}  // namespace kith
