// The steps of near-duplicates for kith.spark: DedupSteps, DedupCenterScan.
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "kith/cluster_bags.h"
#include "kith/dedup_steps.h"

#include "arrays.h"
#include "bindings.h"
#include "options.h"
#include "texts.h"

namespace kith::python {
namespace {

namespace nb = nanobind;
using nb::literals::operator""_a;

nb::tuple features(const DedupSteps& self, nb::handle texts) {
  const Texts given = take_texts(texts, "texts");
  DocumentFeatures made = unlocked([&] { return self.features(given.views); });
  const size_t n = made.sets.size();
  const size_t elements = made.sets.elements.size();
  return nb::make_tuple(
      to_numpy<Vector<uint64_t>>(std::move(made.sets.offsets), {n + 1}),
      to_numpy<Vector<uint64_t>>(std::move(made.sets.elements), {elements}),
      to_numpy<Matrix<uint64_t>>(std::move(made.content), {n, 2}),
      to_numpy<Matrix<uint16_t>>(std::move(made.signatures), {n, self.options().lanes}));
}

nb::tuple sample(const DedupSteps& self, uint64_t documents) {
  DedupSample places = self.sample(documents);
  const size_t queries = places.queries.size();
  const size_t others = places.others.size();
  return nb::make_tuple(to_numpy<Vector<uint64_t>>(std::move(places.queries), {queries}),
                        to_numpy<Vector<uint64_t>>(std::move(places.others), {others}));
}

nb::list plan(const DedupSteps& self, uint64_t documents, const Input<uint16_t>& queries,
              const Input<uint16_t>& others) {
  nb::list considered;
  for (const DedupTables& one :
       unlocked([&] { return self.plan(documents, span_of(queries), span_of(others)); })) {
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

void scan_add(DedupCenterScan& self, const Input<uint32_t>& documents,
              const Input<uint64_t>& offsets, const Input<uint64_t>& elements,
              const Input<uint16_t>& signatures) {
  const Status status = [&] {
    const nb::gil_scoped_release released;
    return self.add(span_of(documents), {span_of(offsets), span_of(elements)}, span_of(signatures));
  }();
  raise_error(status);
}

nb::tuple scan_run(DedupCenterScan& self, const Input<uint64_t>& ranks, const Input<uint32_t>& a,
                   const Input<uint32_t>& b, const Input<uint64_t>& part_names,
                   const Input<uint32_t>& part_members, uint64_t max_centers) {
  if (a.size() != b.size()) {
    throw Raised{{ErrorKind::usage, "pairs: the arrays have different lengths"}};
  }
  std::vector<DocumentIds> pairs;
  pairs.reserve(a.size());
  for (size_t i = 0; i < a.size(); ++i) pairs.push_back({a(i), b(i)});
  DedupCenterScan::Output output = unlocked([&] {
    return self.run(
        {span_of(ranks), pairs, span_of(part_names), span_of(part_members), max_centers});
  });
  std::vector<uint32_t> found;
  for (const CommonElements& pair : output.pairs) {
    found.insert(found.end(), {pair.a, pair.b, pair.common});
  }
  const size_t n = output.center.size();
  return nb::make_tuple(to_numpy<Vector<uint32_t>>(std::move(output.center), {n}),
                        to_numpy<Matrix<uint32_t>>(std::move(found), {output.pairs.size(), 3}));
}

// CENTER over ids below n that become centers in their order.
Vector<uint32_t> ordered_centers(uint32_t n, const Input<uint32_t>& a, const Input<uint32_t>& b) {
  if (a.size() != b.size()) {
    throw Raised{{ErrorKind::usage, "pairs: the arrays have different lengths"}};
  }
  std::vector<uint32_t> center = unlocked([&] {
    std::vector<SimilarIds> pairs;
    pairs.reserve(a.size());
    for (size_t i = 0; i < a.size(); ++i) pairs.push_back({a(i), b(i), 1});
    std::vector<uint32_t> order(n);
    for (uint32_t id = 0; id < n; ++id) order[id] = id;
    return center_clusters(n, pairs, {.order = order});
  });
  return to_numpy<Vector<uint32_t>>(std::move(center), {n});
}

void add_scan(nb::module_& module) {
  nb::class_<DedupCenterScan>(module, "DedupCenterScan",
                              "CENTER where there are large families: kith::DedupCenterScan.")
      .def("add", &scan_add, "documents"_a, "offsets"_a, "elements"_a, "signatures"_a)
      .def("run", &scan_run, "ranks"_a, "a"_a, "b"_a, "part_names"_a, "part_members"_a,
           "max_centers"_a)
      .def_static("max_centers", &DedupCenterScan::max_centers, "parts"_a, "members"_a,
                  "documents"_a, "max_comparisons"_a);
}

}  // namespace

void add_dedup_steps(nb::module_& module) {
  add_scan(module);
  nb::class_<DedupSteps>(module, "DedupSteps",
                         "The steps of near-duplicates for many machines: kith::DedupSteps.")
      .def(
          "__init__",
          [](DedupSteps* self, const std::vector<std::string>& words) {
            const DedupOptions options = value_or_raise(cli::dedup_options(words));
            new (self) DedupSteps(value_or_raise(DedupSteps::make(options, options)));
          },
          "words"_a)
      .def_prop_ro("lanes", [](const DedupSteps& self) { return self.options().lanes; })
      .def_prop_ro("max_comparisons",
                   [](const DedupSteps& self) { return self.options().max_comparisons; })
      .def_prop_ro("finds_pairs", &DedupSteps::finds_pairs)
      .def("features", &features, "texts"_a)
      .def("sample", &sample, "documents"_a)
      .def("plan", &plan, "documents"_a, "queries"_a, "others"_a)
      .def(
          "join",
          [](const DedupSteps& self, uint32_t per_key, uint32_t tables) {
            return value_or_raise(self.join({.per_key = per_key, .tables = tables}));
          },
          "per_key"_a, "tables"_a)
      .def(
          "verify",
          [](const DedupSteps& self, const Input<uint64_t>& offsets,
             const Input<uint64_t>& elements, const Input<uint32_t>& a, const Input<uint32_t>& b) {
            std::vector<uint32_t> common = unlocked([&] {
              return self.verify({span_of(offsets), span_of(elements)}, span_of(a), span_of(b));
            });
            const size_t n = common.size();
            return to_numpy<Vector<uint32_t>>(std::move(common), {n});
          },
          "offsets"_a, "elements"_a, "a"_a, "b"_a)
      .def(
          "center_scan",
          [](const DedupSteps& self, const std::string& folder) {
            return value_or_raise(self.center_scan(folder));
          },
          "folder"_a);
  module.def("ordered_centers", &ordered_centers, "n"_a, "a"_a, "b"_a);
  module.attr("no_common_elements") = no_common_elements;
  module.attr("min_family") = DedupCenterScan::min_family;
  module.attr("max_families") = DedupCenterScan::max_families;
}

}  // namespace kith::python
