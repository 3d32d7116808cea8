// Shingles and sketches: kith.shingles, MinHasher, SimHasher, BagSketcher and what they estimate.
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>
#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/variant.h>

#include "kith/bags.h"
#include "kith/shingles.h"
#include "kith/sketches.h"

#include "arrays.h"
#include "arrow.h"
#include "bindings.h"
#include "options.h"
#include "texts.h"

namespace kith::python {
namespace {

namespace nb = nanobind;
using nb::literals::operator""_a;

std::span<const uint64_t> set_at(const PythonSets& self, Py_ssize_t i) {
  const auto rows = static_cast<Py_ssize_t>(self.sets->size());
  if (i < 0) i += rows;
  if (i < 0 || i >= rows) throw nb::index_error(fmt::format("there are {} sets", rows).c_str());
  return (*self.sets)[static_cast<size_t>(i)];
}

struct ShingleArguments {
  std::string unit;
  uint32_t width;
  bool bag;
  bool normalize;
  std::string numbers;
  unsigned threads;
};

Sets shingles_of(const Texts& texts, const ShingleArguments& arguments) {
  const ShingleOptions options{unit_named(arguments.unit), arguments.width, arguments.bag,
                               arguments.normalize, numbers_named(arguments.numbers)};
  auto sets = [&] {
    const nb::gil_scoped_release released;
    return shingles(std::span(texts.views), options, arguments.threads);
  }();
  return value_or_raise(std::move(sets));
}

Vector<uint64_t> shingles_of_one(const std::variant<nb::str, nb::bytes>& text, std::string unit,
                                 uint32_t width, bool bag, bool normalize, std::string numbers,
                                 unsigned threads) {
  const nb::handle object = std::visit([](const auto& one) { return nb::handle(one); }, text);
  Sets made = shingles_of(take_texts(object, "texts"),
                          {std::move(unit), width, bag, normalize, std::move(numbers), threads});
  const size_t size = made.elements.size();
  return to_numpy<Vector<uint64_t>>(std::move(made.elements), {size});
}

PythonSets shingles_of_many(const nb::object& texts, std::string unit, uint32_t width, bool bag,
                            bool normalize, std::string numbers, unsigned threads) {
  return {std::make_shared<const Sets>(
      shingles_of(take_texts(texts, "texts"),
                  {std::move(unit), width, bag, normalize, std::move(numbers), threads}))};
}

Matrix<uint16_t> minhash(const MinHasher& hasher, nb::handle object, unsigned threads) {
  const SharedSets sets = sets_of(object);
  std::vector<uint16_t> rows(sets->size() * hasher.lanes());
  const Status status = [&] {
    const nb::gil_scoped_release released;
    return hasher.signatures(*sets, rows, threads);
  }();
  raise_error(status);
  return to_numpy<Matrix<uint16_t>>(std::move(rows), {sets->size(), hasher.lanes()});
}

Vector<uint64_t> fingerprints(const SimHasher& hasher, nb::handle object, unsigned threads) {
  const SharedSets sets = sets_of(object);
  std::vector<uint64_t> values(sets->size());
  const Status status = [&] {
    const nb::gil_scoped_release released;
    return hasher.fingerprints(*sets, values, threads);
  }();
  raise_error(status);
  return to_numpy<Vector<uint64_t>>(std::move(values), {sets->size()});
}

Matrix<uint16_t> bag_signatures(const BagSketcher& sketcher, nb::handle given_offsets,
                                nb::handle given_terms, nb::handle given_weights,
                                unsigned threads) {
  const auto offsets = checked_array<uint64_t>(given_offsets, "offsets");
  const auto terms = checked_array<uint32_t>(given_terms, "terms");
  const auto weights = checked_array<double>(given_weights, "weights");
  const BagsView view{span_of(offsets), span_of(terms), span_of(weights)};
  const size_t bags = offsets.size() == 0 ? 0 : offsets.size() - 1;
  std::vector<uint16_t> rows(bags * sketcher.lanes());
  const Status status = [&]() -> Status {
    const nb::gil_scoped_release released;
    KITH_ASSIGN(const Bags made, Bags::make(view, threads));
    return sketcher.signatures(made, rows, threads);
  }();
  raise_error(status);
  return to_numpy<Matrix<uint16_t>>(std::move(rows), {bags, sketcher.lanes()});
}

nb::tuple tuple_of(const Estimate& estimate) {
  return nb::make_tuple(estimate.lower, estimate.value, estimate.upper);
}

void add_sets(nb::module_& module) {
  nb::class_<PythonSets>(
      module, "Sets",
      "Sets of 64-bit hashes, one for each text. pyarrow.array() and polars.Series() take them as "
      "a\n"
      "column of lists without a copy; MinHasher and SimHasher take them as they are.")
      .def(
          "__len__", [](const PythonSets& self) { return self.sets->size(); },
          "The number of sets.")
      .def(
          "__getitem__",
          [](const PythonSets& self, Py_ssize_t i) {
            const std::span<const uint64_t> set = set_at(self, i);
            return to_numpy<Vector<uint64_t>>(std::vector<uint64_t>(set.begin(), set.end()),
                                              {set.size()});
          },
          "i"_a, "Set i, ascending.")
      .def(
          "__arrow_c_array__",
          [](const PythonSets& self, const nb::object& /*requested_schema*/) {
            auto schema = std::make_unique<ArrowSchema>();
            auto array = std::make_unique<ArrowArray>();
            export_lists(self.sets, self.sets->offsets, self.sets->elements, schema.get(),
                         array.get());
            return nb::make_tuple(capsule_of(schema.release(), "arrow_schema"),
                                  capsule_of(array.release(), "arrow_array"));
          },
          "requested_schema"_a = nb::none(),
          nb::sig("def __arrow_c_array__(self, requested_schema: object = None) -> "
                  "tuple[object, object]"),
          "The sets as lists of uint64 (Arrow PyCapsule interface).");
  module.def(
      "shingles", &shingles_of_one, "texts"_a, nb::kw_only(), "unit"_a = "words", "width"_a = 5,
      "bag"_a = false, "normalize"_a = true, "numbers"_a = "keep", "threads"_a = 0,
      "The shingles of texts, as hashes of 64 bits that are those of kith.dedup.\n\n"
      "texts: one str or bytes (UTF-8), whose shingles come as a uint64 array, ascending; or "
      "many,\n"
      "as a sequence or an Arrow column of strings, which give Sets. None and null are empty. "
      "unit:\n"
      "words or characters, `width` of them in a shingle, [1, 256]. bag: a shingle that occurs n\n"
      "times counts n times. normalize: letters, numbers and symbols, case-folded; else the text "
      "as\n"
      "it stands. numbers: keep, mask (every run of digits is the same) or drop.\n"
      "threads: 0 for one per processor. Raises UsageError for a width out of range and TypeError\n"
      "for what is no text, with its row.\n\n"
      "    >>> kith.shingles('a rose is a rose', width=2).shape    # 'a rose' counts once\n"
      "    (3,)\n"
      "    >>> [len(one) for one in kith.shingles(['a rose is a rose', 'a lily', None], width=2)]\n"
      "    [3, 1, 0]\n");
  module.def("shingles", &shingles_of_many, "texts"_a, nb::kw_only(), "unit"_a = "words",
             "width"_a = 5, "bag"_a = false, "normalize"_a = true, "numbers"_a = "keep",
             "threads"_a = 0);
}

void add_hashers(nb::module_& module) {
  nb::class_<MinHasher>(
      module, "MinHasher",
      "MinHash signatures of sets: the share of equal lanes is the resemblance of the sets.\n\n"
      "lanes: values of a signature, a multiple of 16 in [16, 1024]. Signatures of different "
      "seeds\n"
      "say nothing about each other. hashed: whether elements are well-mixed hashes already, as\n"
      "those of shingles(); if not, any numbers will do.\n"
      "UsageError for lanes out of range.\n\n"
      "    >>> hasher = kith.MinHasher(lanes=64, hashed=False)\n"
      "    >>> hasher.signatures([{1, 2, 3}, {1, 2, 4}]).shape\n"
      "    (2, 64)\n")
      .def(
          "__init__",
          [](MinHasher* self, uint32_t lanes, uint64_t seed, bool hashed) {
            new (self) MinHasher(value_or_raise(MinHasher::make({lanes, seed, hashed})));
          },
          "lanes"_a = 128, "seed"_a = 1, "hashed"_a = true)
      .def_prop_ro("lanes", &MinHasher::lanes, "The values of a signature.")
      .def("signatures", &minhash, "sets"_a, "threads"_a = 0,
           "The signatures of n sets: a uint16 array of n x lanes. sets: Sets, an Arrow column of\n"
           "lists of uint64, or a sequence of sets of integers. threads: 0 for one per processor.");
  nb::class_<SimHasher>(module, "SimHasher",
                        "SimHash fingerprints: the bits in which two differ tell the angle of the "
                        "sets.\n\n"
                        "    >>> a, b = kith.SimHasher().fingerprints([[1, 2, 3], [3, 2, 1]])\n"
                        "    >>> bool(a == b)\n"
                        "    True\n")
      .def(nb::init<>())
      .def("fingerprints", &fingerprints, "sets"_a, "threads"_a = 0,
           "The fingerprints of n sets, each element counted once: a uint64 array of n. sets and\n"
           "threads: as MinHasher.signatures().");
}

void add_bag_sketcher(nb::module_& module) {
  nb::class_<BagSketcher>(
      module, "BagSketcher",
      "Signatures of weighted bags: the share of equal lanes is the similarity of the bags, the "
      "sum\n"
      "of the smaller weights over that of the larger ones. lanes and seed: as MinHasher.\n\n"
      "    >>> import numpy\n"
      "    >>> offsets = numpy.array([0, 2, 4], numpy.uint64)    # two bags of two terms each\n"
      "    >>> terms = numpy.array([7, 8, 7, 8], numpy.uint32)\n"
      "    >>> rows = kith.BagSketcher().signatures(offsets, terms, numpy.array([1, 3, 1, 3.0]))\n"
      "    >>> rows.shape, bool((rows[0] == rows[1]).all())\n"
      "    ((2, 128), True)\n")
      .def(
          "__init__",
          [](BagSketcher* self, uint32_t lanes, uint64_t seed) {
            new (self) BagSketcher(value_or_raise(BagSketcher::make({lanes, seed})));
          },
          "lanes"_a = 128, "seed"_a = 1)
      .def_prop_ro("lanes", &BagSketcher::lanes, "The values of a signature.")
      .def("signatures", &bag_signatures, "offsets"_a, "terms"_a, "weights"_a, "threads"_a = 0,
           "The signatures of n bags: a uint16 array of n x lanes. Bag i is terms and weights\n"
           "[offsets[i], offsets[i + 1]): the indptr, indices and data of a SciPy CSR matrix.\n"
           "offsets: uint64, n + 1; terms: uint32; weights: float64, above 0. Other types are\n"
           "converted where no value changes: UsageError names the first that would, or is masked.",
           nb::sig("def signatures(self, offsets: numpy.typing.ArrayLike, "
                   "terms: numpy.typing.ArrayLike, weights: numpy.typing.ArrayLike, "
                   "threads: int = 0) -> numpy.typing.NDArray[numpy.uint16]"));
}

void add_estimate(nb::module_& module) {
  module.def(
      "estimate_similarity",
      [](nb::handle given_a, nb::handle given_b, double confidence) {
        const auto a = checked_array<uint16_t>(given_a, "a");
        const auto b = checked_array<uint16_t>(given_b, "b");
        return tuple_of(value_or_raise(estimate_similarity(span_of(a), span_of(b), confidence)));
      },
      "a"_a, "b"_a, "confidence"_a = 0.95,
      nb::sig("def estimate_similarity(a: numpy.typing.NDArray[numpy.uint16], "
              "b: numpy.typing.NDArray[numpy.uint16], confidence: float = 0.95) -> "
              "tuple[float, float, float]"),
      "The similarity that two signatures tell: (lower, value, upper). The truth lies below lower\n"
      "with a probability of at most (1 - confidence) / 2, and above upper likewise.\n"
      "UsageError for signatures of different lengths.\n\n"
      "    >>> rows = kith.MinHasher(hashed=False).signatures([{1, 2, 3}, {1, 2, 3}])\n"
      "    >>> lower, value, upper = kith.estimate_similarity(rows[0], rows[1])\n"
      "    >>> lower > 0.9, value, upper\n"
      "    (True, 1.0, 1.0)\n");
}

}  // namespace

void add_sketches(nb::module_& module) {
  add_sets(module);
  add_hashers(module);
  add_bag_sketcher(module);
  add_estimate(module);
}

}  // namespace kith::python
