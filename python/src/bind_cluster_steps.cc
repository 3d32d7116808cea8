// The steps of clusters for kith.spark: ClusterSteps.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include "kith/bags.h"
#include "kith/cluster_steps.h"
#include "kith/topic_routes.h"

#include "arrays.h"
#include "bindings.h"
#include "options.h"

namespace kith::python {
namespace {

namespace nb = nanobind;
using nb::literals::operator""_a;

nb::tuple tuple_of(const ClusterSteps& self, BagFeatures made) {
  const size_t n = made.offsets.size() - 1;
  const size_t entries = made.entries.size();
  return nb::make_tuple(
      to_numpy<Vector<uint64_t>>(std::move(made.offsets), {n + 1}),
      to_numpy<Vector<uint64_t>>(std::move(made.entries), {entries}),
      to_numpy<Matrix<uint64_t>>(std::move(made.content), {n, 2}),
      to_numpy<Matrix<uint16_t>>(std::move(made.signatures), {n, self.options().lanes}));
}

nb::tuple features(const ClusterSteps& self, const Input<uint64_t>& offsets,
                   const Input<uint32_t>& terms, const Input<double>& weights) {
  return tuple_of(self, unlocked([&]() -> Result<BagFeatures> {
                    auto bags = Bags::make({span_of(offsets), span_of(terms), span_of(weights)}, 1);
                    if (!bags) return std::move(bags).error();
                    return self.features(*bags);
                  }));
}

nb::tuple packed_features(const ClusterSteps& self, const Input<uint64_t>& offsets,
                          const Input<uint64_t>& entries) {
  return tuple_of(self, unlocked([&] {
                    return self.features(PackedBags{span_of(offsets), span_of(entries)});
                  }));
}

Vector<uint64_t> to_vector(std::vector<uint64_t> values) {
  const size_t size = values.size();
  return to_numpy<Vector<uint64_t>>(std::move(values), {size});
}

// A row a neighbour: query, id, sum of minima; and the histograms, a row a query.
nb::tuple compare(const ClusterSteps& self, const Input<uint64_t>& query_offsets,
                  const Input<uint64_t>& query_entries, const Input<uint32_t>& query_ids,
                  const Input<uint64_t>& offsets, const Input<uint64_t>& entries, uint32_t first,
                  const Input<uint8_t>& is_copy) {
  QueryTruths found = unlocked([&] {
    return self.compare({span_of(query_offsets), span_of(query_entries)}, span_of(query_ids),
                        {span_of(offsets), span_of(entries)}, first, span_of(is_copy));
  });
  std::vector<uint32_t> nearest;
  for (const QueryNeighbour& near : found.nearest) {
    nearest.insert(nearest.end(), {near.query, near.id, near.sum_of_minima});
  }
  return nb::make_tuple(to_numpy<Matrix<uint32_t>>(std::move(nearest), {found.nearest.size(), 3}),
                        to_numpy<Matrix<uint64_t>>(std::move(found.histograms),
                                                   {query_ids.size(), self.histogram_bins}));
}

// The threshold and the tables, and why.
nb::dict report_of(const ThresholdReport& threshold, const EngineReport& engine) {
  nb::dict row;
  row["similarity"] = threshold.similarity;
  row["per_key"] = engine.per_key;
  row["tables"] = engine.tables;
  row["threshold"] = threshold.reason;
  row["recall"] = engine.promised_recall;
  row["engine"] = engine.reason;
  return row;
}

// The sample, as the arrays that kith.spark has gathered.
struct SampleArrays {
  uint64_t bags;
  uint64_t entries;
  uint64_t different;
  Input<uint32_t> query_ids;
  Input<uint32_t> words;
  Input<uint32_t> multiplicity;
  Input<uint32_t> nearest;  // query, id, sum of minima of each
  Input<uint64_t> histograms;
  Input<uint16_t> signatures;
};

nb::dict plan(const ClusterSteps& self, const SampleArrays& sample) {
  const std::span<const uint32_t> triples = span_of(sample.nearest);
  std::vector<QueryNeighbour> nearest;
  for (size_t i = 0; i + 3 <= triples.size(); i += 3) {
    nearest.push_back({triples[i], triples[i + 1], triples[i + 2]});
  }
  const ClusterPlan made = unlocked([&] {
    return self.plan({.bags = sample.bags,
                      .entries = sample.entries,
                      .different = sample.different,
                      .query_ids = span_of(sample.query_ids),
                      .words = span_of(sample.words),
                      .multiplicity = span_of(sample.multiplicity),
                      .nearest = nearest,
                      .histograms = span_of(sample.histograms),
                      .signatures = span_of(sample.signatures)});
  });
  return report_of(made.threshold, made.engine);
}

// bytes, sizes: of bags that shorten() has made.
template <class ManyBags>
void add_short(ManyBags& self, const Input<uint8_t>& bytes, const Input<uint64_t>& sizes) {
  raise_error([&]() -> Status {
    const nb::gil_scoped_release released;
    KITH_ASSIGN(const std::vector<uint64_t> entries, restore(span_of(bytes), span_of(sizes)));
    std::vector<uint64_t> offsets(sizes.size() + 1);
    std::partial_sum(sizes.data(), sizes.data() + sizes.size(), offsets.begin() + 1);
    return self.add({offsets, entries});
  }());
}

// Center and similarity of each bag; the threshold and the tables; and how many bags are equal to
// an earlier one.
nb::tuple cluster_gathered(GatheredBags& self, const Input<uint32_t>& order) {
  BagClusters found = unlocked([&] { return std::move(self).cluster(span_of(order)); });
  const size_t n = found.center.size();
  return nb::make_tuple(to_numpy<Vector<uint32_t>>(std::move(found.center), {n}),
                        to_numpy<Vector<double>>(std::move(found.similarity), {n}),
                        report_of(found.threshold, found.engine), found.duplicates);
}

// By pair the sum of minima, 0 where they are not similar.
Vector<uint32_t> sums(const BagVerifier& self, const Input<uint32_t>& a, const Input<uint32_t>& b) {
  return vector_of(unlocked([&] { return self.sums(span_of(a), span_of(b)); }));
}

BagPartPairs part_pairs(const ClusterSteps& self, double similarity, const Input<uint64_t>& offsets,
                        const Input<uint64_t>& entries, const Input<uint16_t>& signatures,
                        const Input<uint64_t>& part_names, const Input<uint32_t>& part_members) {
  return unlocked([&] {
    return self.part_pairs(similarity, {.bags = {span_of(offsets), span_of(entries)},
                                        .signatures = span_of(signatures),
                                        .part_names = span_of(part_names),
                                        .part_members = span_of(part_members)});
  });
}

// A row a pair: a, b, sum of minima.
Matrix<uint32_t> next_pairs(BagPartPairs& self, size_t most) {
  const std::vector<SimilarBags> found = unlocked([&] { return self.next(most); });
  std::vector<uint32_t> values;
  values.reserve(3 * found.size());
  for (const SimilarBags& pair : found) {
    values.insert(values.end(), {pair.a, pair.b, pair.sum_of_minima});
  }
  return to_numpy<Matrix<uint32_t>>(std::move(values), {found.size(), 3});
}

// pairs: a, b, sum of minima of each.
nb::tuple scan(const ClusterSteps& self, double similarity, uint32_t count,
               const Input<uint32_t>& pairs, const Input<uint32_t>& numbers,
               const Input<uint64_t>& offsets, const Input<uint64_t>& entries,
               const Input<uint16_t>& signatures, const Input<uint64_t>& part_names,
               const Input<uint32_t>& part_members) {
  const std::span<const uint32_t> triples = span_of(pairs);
  std::vector<SimilarBags> similar;
  for (size_t i = 0; i + 3 <= triples.size(); i += 3) {
    similar.push_back({triples[i], triples[i + 1], triples[i + 2]});
  }
  ClusterSteps::Centers found = unlocked([&] {
    return self.scan(similarity, {.count = count,
                                  .pairs = similar,
                                  .numbers = span_of(numbers),
                                  .bags = {span_of(offsets), span_of(entries)},
                                  .signatures = span_of(signatures),
                                  .part_names = span_of(part_names),
                                  .part_members = span_of(part_members)});
  });
  const size_t n = found.center.size();
  return nb::make_tuple(to_numpy<Vector<uint32_t>>(std::move(found.center), {n}),
                        to_numpy<Vector<uint32_t>>(std::move(found.sum_of_minima), {n}));
}

}  // namespace

void add_cluster_steps(nb::module_& module) {
  nb::class_<BagPartPairs>(module, "BagPartPairs",
                           "The pairs inside of whole parts: kith::BagPartPairs.")
      .def("next", &next_pairs, "most"_a);
  nb::class_<BagVerifier>(module, "BagVerifier",
                          "Bags of which many pairs are compared: kith::BagVerifier.")
      .def("add_short", &add_short<BagVerifier>, "bytes"_a, "sizes"_a)
      .def("__len__", &BagVerifier::size)
      .def("sums", &sums, "a"_a, "b"_a);
  nb::class_<GatheredBags>(module, "GatheredBags",
                           "Bags that are clustered together: kith::GatheredBags.")
      .def("add_short", &add_short<GatheredBags>, "bytes"_a, "sizes"_a)
      .def("__len__", &GatheredBags::size)
      .def("cluster", &cluster_gathered, "order"_a);
  nb::class_<ClusterSteps> steps(module, "ClusterSteps",
                                 "The steps of clusters for many machines: kith::ClusterSteps.");
  steps.attr("query_neighbours") = ClusterSteps::query_neighbours;
  steps.attr("histogram_bins") = ClusterSteps::histogram_bins;
  steps
      .def(
          "__init__",
          [](ClusterSteps* self, const std::vector<std::string>& words) {
            new (self) ClusterSteps(
                value_or_raise(ClusterSteps::make(value_or_raise(cli::cluster_options(words)))));
          },
          "words"_a)
      .def_prop_ro("lanes", [](const ClusterSteps& self) { return self.options().lanes; })
      .def_prop_ro("min_words", [](const ClusterSteps& self) { return self.options().min_words; })
      .def_prop_ro("by_mass",
                   [](const ClusterSteps& self) { return self.options().order != Order::url; })
      .def_prop_ro("assigns_best",
                   [](const ClusterSteps& self) { return self.options().assign == Assign::best; })
      .def("features", &features, "offsets"_a, "terms"_a, "weights"_a)
      .def("packed_features", &packed_features, "offsets"_a, "entries"_a)
      .def(
          "gather",
          [](const ClusterSteps& self, uint64_t entries) {
            return value_or_raise(self.gather(entries));
          },
          "entries"_a)
      .def(
          "queries",
          [](const ClusterSteps& self, uint64_t filled) { return to_vector(self.queries(filled)); },
          "filled"_a)
      .def(
          "sketched",
          [](const ClusterSteps& self, uint64_t different) {
            return to_vector(self.sketched(different));
          },
          "different"_a)
      .def("compare", &compare, "query_offsets"_a, "query_entries"_a, "query_ids"_a, "offsets"_a,
           "entries"_a, "first"_a, "is_copy"_a)
      .def(
          "plan",
          [](const ClusterSteps& self, uint64_t bags, uint64_t entries, uint64_t different,
             const Input<uint32_t>& query_ids, const Input<uint32_t>& words,
             const Input<uint32_t>& multiplicity, const Input<uint32_t>& nearest,
             const Input<uint64_t>& histograms, const Input<uint16_t>& signatures) {
            return plan(self, {bags, entries, different, query_ids, words, multiplicity, nearest,
                               histograms, signatures});
          },
          "bags"_a, "entries"_a, "different"_a, "query_ids"_a, "words"_a, "multiplicity"_a,
          "nearest"_a, "histograms"_a, "signatures"_a)
      .def(
          "join",
          [](const ClusterSteps& self, double similarity, uint32_t per_key, uint32_t tables) {
            return value_or_raise(self.join({similarity, per_key, tables}));
          },
          "similarity"_a, "per_key"_a, "tables"_a)
      .def(
          "join_for_pairs",
          [](const ClusterSteps& self, double similarity, uint32_t per_key, uint32_t tables) {
            return value_or_raise(self.join_for_pairs({similarity, per_key, tables}));
          },
          "similarity"_a, "per_key"_a, "tables"_a)
      .def("part_pairs", &part_pairs, "similarity"_a, "offsets"_a, "entries"_a, "signatures"_a,
           "part_names"_a, "part_members"_a)
      .def(
          "verifier",
          [](const ClusterSteps& self, double similarity, uint64_t entries) {
            return value_or_raise(self.verifier(similarity, entries));
          },
          "similarity"_a, "entries"_a)
      .def("scan", &scan, "similarity"_a, "count"_a, "pairs"_a, "numbers"_a, "offsets"_a,
           "entries"_a, "signatures"_a, "part_names"_a, "part_members"_a);
}

// Bags down the tree of topics of a run, for kith.spark: TopicRoutes.
namespace {

using nb::literals::operator""_a;

// The arguments of TopicRoutes.
nb::dict directions(const std::string& run, uint64_t most_pages) {
  TopicDirections found = unlocked([&] { return topic_directions(run, most_pages); });
  nb::dict made;
  made["numbers"] = vector_of(std::move(found.numbers));
  made["first_child"] = vector_of(std::move(found.first_child));
  made["children"] = vector_of(std::move(found.children));
  made["offsets"] = vector_of(std::move(found.offsets));
  made["terms"] = vector_of(std::move(found.terms));
  made["values"] = vector_of(std::move(found.values));
  return made;
}

template <class T>
std::vector<T> copied(const Input<T>& array) {
  return {array.data(), array.data() + array.size()};
}

std::unique_ptr<TopicRoutes> routes(const Input<uint32_t>& numbers,
                                    const Input<uint32_t>& first_child,
                                    const Input<uint32_t>& children, const Input<uint64_t>& offsets,
                                    const Input<uint32_t>& terms, const Input<float>& values) {
  const TopicDirections given = {copied(numbers), copied(first_child), copied(children),
                                 copied(offsets), copied(terms),       copied(values)};
  return std::make_unique<TopicRoutes>(unlocked([&] { return TopicRoutes::make(given); }));
}

// Bag i is entries[offsets[i], offsets[i + 1]).
Vector<uint32_t> find(const TopicRoutes& self, const Input<uint64_t>& offsets,
                      const Input<uint64_t>& entries) {
  return vector_of(unlocked([&] { return self.find({span_of(offsets), span_of(entries)}); }));
}

}  // namespace

void add_topic_routes(nb::module_& module) {
  module.def("topic_directions", &directions, "run"_a, "most_pages"_a);
  nb::class_<TopicRoutes>(module, "TopicRoutes",
                          "The upper part of a tree of topics: kith::TopicRoutes.")
      .def_static("make", &routes, "numbers"_a, "first_child"_a, "children"_a, "offsets"_a,
                  "terms"_a, "values"_a)
      .def("find", &find, "offsets"_a, "entries"_a);
}

}  // namespace kith::python
