// Bags down the tree of topics of a run, for kith.spark: TopicRoutes.
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>

#include "kith/topic_routes.h"

#include "bindings.h"
#include "numpy_arrays.h"
#include "unlocked.h"

namespace kith::python {
namespace {

namespace nb = nanobind;
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
