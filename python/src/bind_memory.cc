// What works on values, without files: Index, cluster_bags.
#include <algorithm>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include "kith/cluster_bags.h"
#include "kith/index.h"

#include "arrays.h"
#include "bindings.h"
#include "texts.h"

namespace kith::python {
namespace {

namespace nb = nanobind;
using nb::literals::operator""_a;

// kith.Index. Calls run without the lock of the interpreter, so that this one lets one thread add,
// or several ask.
class PythonIndex {
 public:
  explicit PythonIndex(SetIndex index) : index_(std::move(index)) {}

  Result<uint32_t> add(const Sets& sets, unsigned threads) {
    const std::unique_lock lock(mutex_);
    return index_.add(sets, threads);
  }

  // What ask(index) returns.
  template <class Ask>
  auto ask(Ask ask) const {
    const std::shared_lock lock(mutex_);
    return ask(index_);
  }

 private:
  mutable std::shared_mutex mutex_;
  SetIndex index_;
};

Table answers(const SetIndex& index, const Sets& sets, unsigned threads) {
  Table table{
      {{"row", ColumnType::count}, {"id", ColumnType::count}, {"similarity", ColumnType::number}}};
  const auto found = value_or_raise(index.query(sets, threads));
  for (size_t row = 0; row < found.size(); ++row) {
    for (const Match& match : found[row]) {
      table.columns[0].add(uint64_t{row});
      table.columns[1].add(uint64_t{match.id});
      table.columns[2].add(match.similarity);
    }
  }
  return table;
}

Table pairs(const SetIndex& index, unsigned threads) {
  Table table{
      {{"a", ColumnType::count}, {"b", ColumnType::count}, {"similarity", ColumnType::number}}};
  for (const SimilarIds& pair : value_or_raise(index.pairs(threads))) {
    table.columns[0].add(uint64_t{pair.a});
    table.columns[1].add(uint64_t{pair.b});
    table.columns[2].add(pair.similarity);
  }
  return table;
}

// The id of the first set.
auto add_sets_of(PythonIndex& index, nb::handle object, unsigned threads) {
  const SharedSets sets = sets_of(object);
  auto first = [&] {
    const nb::gil_scoped_release released;
    return index.add(*sets, threads);
  }();
  return value_or_raise(std::move(first));
}

void add_index(nb::module_& module) {
  nb::class_<PythonIndex>(
      module, "Index",
      "Sets of hashes, such as shingles, and which of them are like another one. Candidates come\n"
      "from LSH tables, and each is compared exactly: no match is false.\n\n"
      "similarity: the minimum resemblance of a match, (0, 1). recall: of matches at this\n"
      "similarity. lanes, max_tables, seed: as of kith.dedup.\n\n"
      "    >>> index = kith.Index(similarity=0.5)\n"
      "    >>> index.add(kith.shingles(['a rose is a rose', 'a lily is no rose'], width=2))\n"
      "    0\n"
      "    >>> index.query(kith.shingles(['a rose is a rose indeed'], width=2)).rows()\n"
      "    [{'row': 0, 'id': 0, 'similarity': 0.75}]\n")
      .def(
          "__init__",
          [](PythonIndex* self, double similarity, double recall, uint32_t lanes,
             uint32_t max_tables, uint64_t seed) {
            new (self) PythonIndex(
                value_or_raise(SetIndex::make({similarity, recall, lanes, max_tables, seed})));
          },
          "similarity"_a = 0.8, nb::kw_only(), "recall"_a = 0.99, "lanes"_a = 128,
          "max_tables"_a = 256, "seed"_a = 1)
      .def(
          "__len__",
          [](const PythonIndex& self) {
            const nb::gil_scoped_release released;
            return self.ask([](const SetIndex& index) { return index.size(); });
          },
          "The number of sets.")
      .def(
          "add", &add_sets_of, "sets"_a, "threads"_a = 0,
          "Adds sets (as MinHasher.signatures() takes them), and returns the id of the first; the\n"
          "others follow. An empty set gets an id and never matches.")
      .def(
          "query",
          [](const PythonIndex& self, nb::handle object, unsigned threads) {
            const SharedSets sets = sets_of(object);
            return make_table([&] {
              return self.ask(
                  [&](const SetIndex& index) { return answers(index, *sets, threads); });
            });
          },
          "sets"_a, "threads"_a = 0,
          "The matches of every set: row (of the question), id, similarity; most similar first.")
      .def(
          "pairs",
          [](const PythonIndex& self, unsigned threads) {
            return make_table([&] {
              return self.ask([&](const SetIndex& index) { return pairs(index, threads); });
            });
          },
          "threads"_a = 0, "All pairs of sets of the index that match: a, b, similarity.");
}

EngineChoice engine_of(const std::string& text) {
  for (const auto engine : {EngineChoice::automatic, EngineChoice::exact, EngineChoice::lsh}) {
    if (name(engine) == text) return engine;
  }
  throw Raised{{ErrorKind::usage, fmt::format("engine {}: must be auto, exact or lsh", text)}};
}

Assign assign_of(const std::string& text) {
  for (const auto assign : {Assign::first, Assign::best}) {
    if (name(assign) == text) return assign;
  }
  throw Raised{{ErrorKind::usage, fmt::format("assign {}: must be first or best", text)}};
}

nb::tuple cluster_arrays(nb::handle given_offsets, nb::handle given_terms, nb::handle given_weights,
                         std::optional<double> similarity, uint32_t min_words,
                         const std::string& engine, const std::string& assign, uint64_t seed,
                         unsigned threads) {
  const auto offsets = checked_array<uint64_t>(given_offsets, "offsets");
  const auto terms = checked_array<uint32_t>(given_terms, "terms");
  const auto weights = checked_array<double>(given_weights, "weights");
  const BagsView view{span_of(offsets), span_of(terms), span_of(weights)};
  SimilarityOptions options;
  options.similarity = similarity;
  options.min_words = min_words;
  options.engine = engine_of(engine);
  options.assign = assign_of(assign);
  options.seed = seed;
  auto found = [&]() -> Result<BagClusters> {
    const nb::gil_scoped_release released;
    KITH_ASSIGN(const Bags bags, Bags::make(view, threads));
    return cluster_bags(bags, options, threads);
  }();
  BagClusters clusters = value_or_raise(std::move(found));
  const size_t size = clusters.center.size();
  return nb::make_tuple(to_numpy<Vector<uint32_t>>(std::move(clusters.center), {size}),
                        to_numpy<Vector<double>>(std::move(clusters.similarity), {size}));
}

}  // namespace

void add_memory(nb::module_& module) {
  add_index(module);
  module.def(
      "cluster_bags", &cluster_arrays, "offsets"_a, "terms"_a, "weights"_a, nb::kw_only(),
      "similarity"_a = nb::none(), "min_words"_a = 5, "engine"_a = "auto", "assign"_a = "first",
      "seed"_a = 1, "threads"_a = 0,
      nb::sig("def cluster_bags(offsets: numpy.typing.ArrayLike, terms: numpy.typing.ArrayLike, "
              "weights: numpy.typing.ArrayLike, *, similarity: float | None = None, "
              "min_words: int = 5, engine: str = 'auto', assign: str = 'first', seed: int = 1, "
              "threads: int = 0) -> tuple"),
      "The clusters that kith.cluster makes of weighted bags, in memory: (center, similarity), a\n"
      "uint32 and a float64 array by bag. center is the number of the bag that is the center of "
      "the\n"
      "cluster; its own for a bag that is alone. One of fewer than min_words terms is alone, or\n"
      "with its copies. Arrays: as\n"
      "BagSketcher.signatures(). similarity: the threshold; without it, it follows the bags.\n"
      "engine: auto, exact or lsh. assign: a bag joins the first or the best (most similar)\n"
      "center.\n\n"
      "    >>> import numpy\n"
      "    >>> offsets = numpy.array([0, 2, 4, 6], numpy.uint64)\n"
      "    >>> terms = numpy.array([1, 2, 1, 2, 3, 4], numpy.uint32)\n"
      "    >>> kith.cluster_bags(offsets, terms, numpy.ones(6), similarity=0.5, min_words=1)[0]\n"
      "    array([0, 0, 2], dtype=uint32)\n");
}

}  // namespace kith::python
