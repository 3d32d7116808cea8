// Records and bags on their way between machines, for kith.spark: what is copied in large numbers.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>

#include "kith/status.h"

#include "bindings.h"
#include "errors.h"
#include "numpy_arrays.h"
#include "unlocked.h"

namespace kith::python {
namespace {

namespace nb = nanobind;
using nb::literals::operator""_a;

// Records by slice, those of a slice in their order.
struct Grouped {
  std::vector<uint8_t> records;
  std::vector<uint64_t> ends;  // by slice, in records
};

Result<Grouped> group(std::span<const uint8_t> records, size_t record_size,
                      std::span<const uint32_t> slices, uint32_t count) {
  if (record_size == 0 || records.size() != slices.size() * record_size ||
      std::ranges::any_of(slices, [&](uint32_t slice) { return slice >= count; })) {
    return Error{ErrorKind::usage, "records: must have a slice each, below the number of slices"};
  }
  Grouped grouped;
  grouped.records.resize(records.size());
  grouped.ends.resize(count);
  std::vector<uint64_t> next(count + size_t{1});
  for (const uint32_t slice : slices) ++next[slice + 1];
  for (size_t slice = 0; slice < count; ++slice) {
    next[slice + 1] += next[slice];
    grouped.ends[slice] = next[slice + 1];
  }
  for (size_t i = 0; i < slices.size(); ++i) {
    const uint64_t place = next[slices[i]]++;
    std::memcpy(&grouped.records[place * record_size], &records[i * record_size], record_size);
  }
  return grouped;
}

nb::tuple grouped(const Input<uint8_t>& records, size_t record_size, const Input<uint32_t>& slices,
                  uint32_t count) {
  Grouped made =
      unlocked([&] { return group(span_of(records), record_size, span_of(slices), count); });
  return nb::make_tuple(vector_of(std::move(made.records)), vector_of(std::move(made.ends)));
}

// By row the last of `starts`, ascending, that is not above it. Fast where rows follow each other.
Result<std::vector<uint32_t>> find_homes(std::span<const uint32_t> rows,
                                         std::span<const int64_t> starts) {
  if (starts.empty() || starts.front() != 0) {
    return Error{ErrorKind::usage, "starts: must begin with 0"};
  }
  std::vector<uint32_t> homes;
  homes.reserve(rows.size());
  int64_t begin = 0;
  int64_t end = 0;
  uint32_t home = 0;
  for (const uint32_t row : rows) {
    if (row < begin || row >= end) {
      const auto next = std::ranges::upper_bound(starts, int64_t{row});
      home = static_cast<uint32_t>(next - starts.begin()) - 1;
      begin = starts[home];
      end = next == starts.end() ? INT64_MAX : *next;
    }
    homes.push_back(home);
  }
  return homes;
}

Vector<uint32_t> homes_of(const Input<uint32_t>& rows, const Input<int64_t>& starts) {
  return vector_of(unlocked([&] { return find_homes(span_of(rows), span_of(starts)); }));
}

// The elements of some sets, one behind the other.
Result<std::vector<uint64_t>> select(std::span<const uint64_t> offsets,
                                     std::span<const uint64_t> elements,
                                     std::span<const int64_t> places) {
  std::vector<uint64_t> selected;
  for (const int64_t place : places) {
    const auto at = static_cast<size_t>(place);
    if (place < 0 || at + 1 >= offsets.size() || offsets[at] > offsets[at + 1] ||
        offsets[at + 1] > elements.size()) {
      return Error{ErrorKind::usage, "places: must be those of sets"};
    }
    const auto set = elements.subspan(offsets[at], offsets[at + 1] - offsets[at]);
    selected.insert(selected.end(), set.begin(), set.end());
  }
  return selected;
}

Vector<uint64_t> selected(const Input<uint64_t>& offsets, const Input<uint64_t>& elements,
                          const Input<int64_t>& places) {
  return vector_of(
      unlocked([&] { return select(span_of(offsets), span_of(elements), span_of(places)); }));
}

void add_varint(std::vector<uint8_t>& bytes, uint64_t value) {
  for (; value >= 0x80; value >>= 7) bytes.push_back(static_cast<uint8_t>(value | 0x80));
  bytes.push_back(static_cast<uint8_t>(value));
}

// The entries of kith::PackedBags in fewer bytes, some five each: of a bag for each term the
// distance from the term before it, and its weight, in groups of seven bits.
Result<std::vector<uint8_t>> shorten(std::span<const uint64_t> offsets,
                                     std::span<const uint64_t> entries) {
  std::vector<uint8_t> bytes;
  bytes.reserve(entries.size() * 5);
  for (size_t bag = 0; bag + 1 < offsets.size(); ++bag) {
    if (offsets[bag] > offsets[bag + 1] || offsets[bag + 1] > entries.size()) {
      return Error{ErrorKind::usage, "offsets: must be those of the entries"};
    }
    uint32_t before = 0;
    for (const uint64_t entry : entries.subspan(offsets[bag], offsets[bag + 1] - offsets[bag])) {
      const auto term = static_cast<uint32_t>(entry);
      add_varint(bytes, uint32_t{term - before});
      add_varint(bytes, entry >> 32);
      before = term;
    }
  }
  return bytes;
}

Vector<uint8_t> shortened(const Input<uint64_t>& offsets, const Input<uint64_t>& entries) {
  return vector_of(unlocked([&] { return shorten(span_of(offsets), span_of(entries)); }));
}

// Takes a number off the front of the bytes; false where there is none of 32 bits.
bool take_varint(std::span<const uint8_t>& bytes, uint32_t& value) {
  uint64_t found = 0;
  for (size_t i = 0; i < 5 && i < bytes.size(); ++i) {
    found |= uint64_t{bytes[i] & 0x7fu} << (7 * i);
    if (bytes[i] >= 0x80) continue;
    value = static_cast<uint32_t>(found);
    bytes = bytes.subspan(i + 1);
    return found <= UINT32_MAX;
  }
  return false;
}

// What was shortened, by the sizes of the bags.
Result<std::vector<uint64_t>> restore(std::span<const uint8_t> bytes,
                                      std::span<const uint64_t> sizes) {
  const Error damaged{ErrorKind::corrupt, "bags: their bytes and their sizes do not fit together"};
  std::vector<uint64_t> entries;
  entries.reserve(bytes.size() / 4);
  for (const uint64_t size : sizes) {
    if (size > bytes.size() / 2) return damaged;  // an entry has two bytes or more
    uint32_t term = 0;
    for (uint64_t i = 0; i < size; ++i) {
      uint32_t distance = 0;
      uint32_t weight = 0;
      if (!take_varint(bytes, distance) || !take_varint(bytes, weight)) return damaged;
      term += distance;
      entries.push_back(uint64_t{weight} << 32 | term);
    }
  }
  return bytes.empty() ? Result<std::vector<uint64_t>>(std::move(entries)) : damaged;
}

Vector<uint64_t> restored(const Input<uint8_t>& bytes, const Input<uint64_t>& sizes) {
  return vector_of(unlocked([&] { return restore(span_of(bytes), span_of(sizes)); }));
}

}  // namespace

void add_blocks(nb::module_& module) {
  module.def("grouped", &grouped, "records"_a, "record_size"_a, "slices"_a, "count"_a);
  module.def("homes_of", &homes_of, "rows"_a, "starts"_a);
  module.def("shortened", &shortened, "offsets"_a, "entries"_a);
  module.def("restored", &restored, "bytes"_a, "sizes"_a);
  module.def("selected", &selected, "offsets"_a, "elements"_a, "places"_a);
}

}  // namespace kith::python
