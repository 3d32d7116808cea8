// The steps of near-duplicates for kith.spark: features, tables and their candidates, CenterScan.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include "kith/cluster_bags.h"
#include "kith/dedup.h"

#include "arrays.h"
#include "bindings.h"
#include "cli/program.h"
#include "distributed/center_scan.h"
#include "distributed/dedup_steps.h"
#include "texts.h"

namespace kith::python {
namespace {

namespace nb = nanobind;
using nb::literals::operator""_a;
using distributed::CenterScan;
using distributed::DocumentPlace;
using distributed::TableJoin;

void make_options(DedupOptions* self, const std::vector<std::string>& words) {
  const DedupOptions options = value_or_raise(cli::dedup_options(words));
  raise_error(distributed::check_distributed(options));
  new (self) DedupOptions(options);
}

// Offsets, elements, content, signatures.
nb::tuple features(const DedupOptions& options, nb::handle texts) {
  const Texts given = take_texts(texts, "texts");
  distributed::DocumentFeatures made =
      unlocked([&] { return distributed::features(options, given.views); });
  const size_t n = made.sets.size();
  return nb::make_tuple(vector_of(std::move(made.sets.offsets)),
                        vector_of(std::move(made.sets.elements)),
                        to_numpy<Matrix<uint64_t>>(std::move(made.content), {n, 2}),
                        to_numpy<Matrix<uint16_t>>(std::move(made.signatures), {n, options.lanes}));
}

// Queries, others.
nb::tuple sample(const DedupOptions& options, uint64_t documents) {
  auto places = distributed::sample_places(documents, options);
  return nb::make_tuple(vector_of(std::move(places.queries)), vector_of(std::move(places.others)));
}

nb::list plan(const DedupOptions& options, uint64_t documents, const Input<uint16_t>& queries,
              const Input<uint16_t>& others) {
  nb::list considered;
  for (const DedupTables& one : unlocked([&] {
         return distributed::plan_tables(options, documents, span_of(queries), span_of(others));
       })) {
    nb::dict row;
    row["per_key"] = one.per_key;
    row["tables"] = one.tables;
    row["recall"] = one.recall;
    row["collisions"] = one.collisions;
    row["split"] = one.split;
    row["seconds"] = one.seconds;
    row["chosen"] = one.chosen;
    considered.append(row);
  }
  return considered;
}

Vector<double> verify(const DedupOptions& options, const Input<uint64_t>& offsets,
                      const Input<uint64_t>& elements, const Input<uint32_t>& a,
                      const Input<uint32_t>& b) {
  const SetsView sets = {span_of(offsets), span_of(elements)};
  return vector_of(
      unlocked([&] { return distributed::verify(options, sets, span_of(a), span_of(b)); }));
}

std::unique_ptr<CenterScan> center_scan(const DedupOptions& options, const std::string& folder,
                                        const Input<uint32_t>& others) {
  return unlocked([&] { return CenterScan::make(options, folder, span_of(others)); });
}

void add_options(nb::module_& module) {
  nb::class_<DedupOptions>(module, "DedupSteps",
                           "The steps of near-duplicates on many machines, by their options.")
      .def("__init__", &make_options, "words"_a)
      .def_ro("lanes", &DedupOptions::lanes)
      .def_ro("max_comparisons", &DedupOptions::max_comparisons)
      .def_prop_ro("finds_pairs",
                   [](const DedupOptions& options) { return distributed::finds_pairs(options); })
      .def("features", &features, "texts"_a)
      .def("sample", &sample, "documents"_a)
      .def("plan", &plan, "documents"_a, "queries"_a, "others"_a)
      .def("join", &distributed::join_of, "per_key"_a, "tables"_a)
      .def("verify", &verify, "offsets"_a, "elements"_a, "a"_a, "b"_a)
      .def("center_scan", &center_scan, "folder"_a, "others"_a);
}

Matrix<uint32_t> keys(const TableJoin& self, const Input<uint16_t>& signatures) {
  std::vector<uint32_t> keys = unlocked([&] { return self.keys(span_of(signatures)); });
  const size_t tables = self.tables();
  const size_t documents = keys.size() / tables;
  return to_numpy<Matrix<uint32_t>>(std::move(keys), {documents, tables});
}

uint64_t bound(const TableJoin& self, uint64_t documents, const Input<uint64_t>& sizes,
               const Input<uint64_t>& counts) {
  return self.bound(documents, span_of(sizes), span_of(counts));
}

// The bytes of places.
Vector<uint8_t> split(const TableJoin& self, uint32_t table, uint64_t bound,
                      const Input<uint32_t>& documents, const Input<uint16_t>& signatures) {
  return bytes_of(
      unlocked([&] { return self.split(table, bound, span_of(documents), span_of(signatures)); }));
}

// The first and the second documents of pairs, by their rows, and how many pairs have met.
nb::tuple candidates(const TableJoin& self, const Input<uint16_t>& signatures,
                     const Input<uint8_t>& places, uint32_t slice, uint32_t slices) {
  const auto given = records_of<DocumentPlace>(places);
  const auto found =
      unlocked([&] { return self.candidates(span_of(signatures), given, slice, slices); });
  std::vector<uint32_t> a;
  std::vector<uint32_t> b;
  a.reserve(found.pairs.size());
  b.reserve(found.pairs.size());
  for (const distributed::DocumentIds& pair : found.pairs) {
    a.push_back(pair.a);
    b.push_back(pair.b);
  }
  return nb::make_tuple(vector_of(std::move(a)), vector_of(std::move(b)), found.collisions);
}

Vector<uint32_t> slices_of(const Input<uint32_t>& keys, uint32_t slices) {
  std::vector<uint32_t> found;
  found.reserve(keys.size());
  for (const uint32_t key : span_of(keys)) found.push_back(distributed::slice_of(key, slices));
  return vector_of(std::move(found));
}

void add_tables(nb::module_& module) {
  nb::class_<TableJoin>(module, "TableJoin", "LSH tables over documents on many machines.")
      .def_prop_ro("tables", &TableJoin::tables)
      .def_prop_ro("min_equal_bytes", &TableJoin::min_equal_bytes)
      .def("keys", &keys, "signatures"_a)
      .def("bound", &bound, "documents"_a, "sizes"_a, "counts"_a)
      .def("largest_unsplit", &TableJoin::largest_unsplit, "bound"_a)
      .def("split", &split, "table"_a, "bound"_a, "documents"_a, "signatures"_a)
      .def("candidates", &candidates, "signatures"_a, "places"_a, "slice"_a, "slices"_a);
  module.def("slices_of", &slices_of, "keys"_a, "slices"_a);
}

void scan_add(CenterScan& self, const Input<uint32_t>& documents, const Input<uint64_t>& offsets,
              const Input<uint64_t>& elements, const Input<uint16_t>& signatures) {
  const SetsView sets = {span_of(offsets), span_of(elements)};
  unlocked([&] { return self.add(span_of(documents), sets, span_of(signatures)); });
}

// By document its center; and of pairs the documents and their similarities.
nb::tuple scan_run(CenterScan& self, const Input<uint32_t>& a, const Input<uint32_t>& b,
                   const Input<uint64_t>& part_names, const Input<uint32_t>& part_members,
                   uint64_t max_centers) {
  distributed::ScannedCenters found = unlocked([&] {
    return self.run(
        {span_of(a), span_of(b), span_of(part_names), span_of(part_members), max_centers});
  });
  return nb::make_tuple(vector_of(std::move(found.center)), vector_of(std::move(found.a)),
                        vector_of(std::move(found.b)), vector_of(std::move(found.similarity)));
}

// CENTER over ids below n that become centers in their order.
Vector<uint32_t> ordered_centers(uint32_t n, const Input<uint32_t>& a, const Input<uint32_t>& b) {
  return vector_of(unlocked([&] {
    std::vector<SimilarIds> pairs;
    pairs.reserve(a.size());
    for (size_t i = 0; i < a.size(); ++i) pairs.push_back({a(i), b(i), 1});
    std::vector<uint32_t> order(n);
    for (uint32_t id = 0; id < n; ++id) order[id] = id;
    return center_clusters(n, pairs, {.order = order});
  }));
}

}  // namespace

void add_dedup_steps(nb::module_& module) {
  add_options(module);
  add_tables(module);
  nb::class_<CenterScan>(module, "CenterScan", "CENTER where there are large families.")
      .def("add", &scan_add, "documents"_a, "offsets"_a, "elements"_a, "signatures"_a)
      .def("run", &scan_run, "a"_a, "b"_a, "part_names"_a, "part_members"_a, "max_centers"_a);
  module.def("max_centers", &distributed::max_centers, "parts"_a, "members"_a, "documents"_a,
             "max_comparisons"_a);
  module.def("ordered_centers", &ordered_centers, "n"_a, "a"_a, "b"_a);
  module.attr("min_family") = distributed::min_family;
  module.attr("max_families") = distributed::max_families;
}

}  // namespace kith::python
