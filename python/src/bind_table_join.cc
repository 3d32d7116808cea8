// LSH tables over documents on many machines, for kith.spark: TableJoin.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>

#include "kith/status.h"
#include "kith/table_join.h"

#include "arrays.h"
#include "bindings.h"

namespace kith::python {
namespace {

namespace nb = nanobind;
using nb::literals::operator""_a;

std::vector<DocumentPlace> places_of(const Input<uint32_t>& rows, const Input<uint32_t>& tables,
                                     const Input<uint64_t>& parts, const Input<uint8_t>& whole) {
  if (tables.size() != rows.size() || parts.size() != rows.size() || whole.size() != rows.size()) {
    throw Raised{{ErrorKind::usage, "places: the arrays have different lengths"}};
  }
  std::vector<DocumentPlace> places;
  places.reserve(rows.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    places.push_back({rows(i), tables(i), parts(i), whole(i) != 0});
  }
  return places;
}

nb::tuple split(const TableJoin& self, uint32_t table, uint64_t bound,
                const Input<uint32_t>& documents, const Input<uint16_t>& signatures) {
  const std::vector<DocumentPlace> places =
      unlocked([&] { return self.split(table, bound, span_of(documents), span_of(signatures)); });
  std::vector<uint32_t> rows;
  std::vector<uint64_t> parts;
  std::vector<uint8_t> whole;
  for (const DocumentPlace& place : places) {
    rows.push_back(place.row);
    parts.push_back(place.part);
    whole.push_back(place.is_whole ? 1 : 0);
  }
  const size_t n = places.size();
  std::vector<uint32_t> keys = TableJoin::part_keys(places);
  return nb::make_tuple(to_numpy<Vector<uint32_t>>(std::move(rows), {n}),
                        to_numpy<Vector<uint64_t>>(std::move(parts), {n}),
                        to_numpy<Vector<uint8_t>>(std::move(whole), {n}),
                        to_numpy<Vector<uint32_t>>(std::move(keys), {n}));
}

SliceCandidates slice(const TableJoin& self, const Input<uint16_t>& signatures,
                      const Input<uint32_t>& rows, const Input<uint32_t>& tables,
                      const Input<uint64_t>& parts, const Input<uint8_t>& whole, uint32_t slice,
                      uint32_t slices) {
  const std::vector<DocumentPlace> places = places_of(rows, tables, parts, whole);
  return unlocked([&] { return self.slice(span_of(signatures), places, slice, slices); });
}

// The documents of pairs: the first ones, the second ones.
nb::tuple next_candidates(SliceCandidates& self, size_t most) {
  const std::vector<DocumentIds> found = unlocked([&] { return self.next(most); });
  std::vector<uint32_t> a(found.size());
  std::vector<uint32_t> b(found.size());
  std::ranges::transform(found, a.begin(), &DocumentIds::a);
  std::ranges::transform(found, b.begin(), &DocumentIds::b);
  return nb::make_tuple(vector_of(std::move(a)), vector_of(std::move(b)));
}

Vector<uint32_t> slices_of(const Input<uint32_t>& keys, uint32_t slices) {
  std::vector<uint32_t> found;
  found.reserve(keys.size());
  for (size_t i = 0; i < keys.size(); ++i) found.push_back(TableJoin::slice_of(keys(i), slices));
  return to_numpy<Vector<uint32_t>>(std::move(found), {keys.size()});
}

}  // namespace

void add_table_join(nb::module_& module) {
  nb::class_<SliceCandidates>(module, "SliceCandidates", "kith::SliceCandidates.")
      .def("next", &next_candidates, "most"_a)
      .def_prop_ro("collisions", &SliceCandidates::collisions);
  nb::class_<TableJoin>(module, "TableJoin", "LSH tables: kith::TableJoin.")
      .def_prop_ro("tables", &TableJoin::tables)
      .def_prop_ro("min_equal_bytes", &TableJoin::min_equal_bytes)
      .def(
          "keys",
          [](const TableJoin& self, const Input<uint16_t>& signatures) {
            std::vector<uint32_t> keys = unlocked([&] { return self.keys(span_of(signatures)); });
            const size_t tables = self.tables();
            const size_t documents = keys.size() / tables;
            return to_numpy<Matrix<uint32_t>>(std::move(keys), {documents, tables});
          },
          "signatures"_a)
      .def(
          "bound",
          [](const TableJoin& self, uint64_t documents, const Input<uint64_t>& sizes,
             const Input<uint64_t>& counts) {
            return unlocked([&] { return self.bound(documents, span_of(sizes), span_of(counts)); });
          },
          "documents"_a, "sizes"_a, "counts"_a)
      .def("largest_unsplit", &TableJoin::largest_unsplit, "bound"_a)
      .def("split", &split, "table"_a, "bound"_a, "documents"_a, "signatures"_a)
      .def("slice", &slice, "signatures"_a, "rows"_a, "tables"_a, "parts"_a, "whole"_a, "slice"_a,
           "slices"_a);
  module.def("slices_of", &slices_of, "keys"_a, "slices"_a);
}

// Records and bags on their way between machines, for kith.spark: what is copied in large numbers.
namespace {

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
