// The steps of bags for kith.spark: BagSteps and BagDictionary.
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "kith/bag_steps.h"

#include "bag_options.h"
#include "bindings.h"
#include "errors.h"
#include "numpy_arrays.h"
#include "page_words.h"
#include "texts.h"
#include "unlocked.h"

namespace kith::python {
namespace {

namespace nb = nanobind;
using nb::literals::operator""_a;

nb::dict words(const BagSteps& self, nb::handle texts, nb::handle titles) {
  const Texts given = take_texts(texts, "texts");
  const Texts named = titles.is_none() ? Texts() : take_texts(titles, "titles");
  return dict_of(unlocked([&] { return self.words(given.views, named.views); }));
}

BagDictionary dictionary(const BagSteps& self, const std::vector<uint64_t>& filled,
                         nb::handle stems, const Input<uint64_t>& documents) {
  const Texts given = take_texts(stems, "stems");
  return unlocked([&] { return self.dictionary(filled, given.views, span_of(documents)); });
}

// The numbers of stems; -1 for one that is no term.
Vector<int32_t> find(const BagDictionary& self, nb::handle stems) {
  const Texts given = take_texts(stems, "stems");
  std::vector<int32_t> found;
  found.reserve(given.views.size());
  for (const std::string_view stem : given.views) {
    const auto term = self.find(stem);
    found.push_back(term ? static_cast<int32_t>(*term) : -1);
  }
  return vector_of(std::move(found));
}

nb::tuple weigh(const BagDictionary& self, nb::handle stems, const Input<uint64_t>& offsets,
                const Input<uint32_t>& terms, const Input<uint32_t>& counts) {
  const Texts given = take_texts(stems, "stems");
  PageBags made = unlocked(
      [&] { return self.weigh(given.views, span_of(offsets), span_of(terms), span_of(counts)); });
  return nb::make_tuple(vector_of(std::move(made.offsets)), vector_of(std::move(made.terms)),
                        vector_of(std::move(made.weights)));
}

nb::tuple url_keys(nb::handle urls) {
  const Texts given = take_texts(urls, "urls");
  return list_of(BagSteps::url_keys(given.views));
}

}  // namespace

void add_bag_steps(nb::module_& module) {
  nb::class_<BagDictionary>(module, "BagDictionary",
                            "The terms of all bags and what they weigh: kith::BagDictionary.")
      .def_prop_ro("terms", &BagDictionary::terms)
      .def_prop_ro("frequent_terms", &BagDictionary::frequent_terms)
      .def("find", &find, "stems"_a)
      .def("weigh", &weigh, "stems"_a, "offsets"_a, "terms"_a, "counts"_a);
  nb::class_<BagSteps>(module, "BagSteps", "The steps of bags for many machines: kith::BagSteps.")
      .def(
          "__init__",
          [](BagSteps* self, const std::vector<std::string>& words) {
            new (self) BagSteps(value_or_raise(BagSteps::make(bag_step_options(words))));
          },
          "words"_a)
      .def_prop_ro("min_df", [](const BagSteps& self) { return self.options().min_df; })
      .def_prop_ro("folds_aliases", [](const BagSteps& self) { return self.options().aliases; })
      .def("words", &words, "texts"_a, "titles"_a.none() = nb::none())
      .def("dictionary", &dictionary, "filled"_a, "stems"_a, "documents"_a);
  module.def("url_keys", &url_keys, "urls"_a);
}

}  // namespace kith::python
