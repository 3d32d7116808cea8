// Records and bags on their way between machines, for kith.spark: what is copied in large numbers.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>

#include "kith/status.h"

#include "arrays.h"
#include "bindings.h"

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

// The elements of some sets, one after the other.
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

Vector<uint8_t> shortened(const Input<uint64_t>& offsets, const Input<uint64_t>& entries) {
  return vector_of(unlocked([&] { return shorten(span_of(offsets), span_of(entries)); }));
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
