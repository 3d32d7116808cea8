// The steps of bags for kith.spark: BagSteps and BagDictionary.
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

#include "kith/bag_run.h"
#include "kith/bag_steps.h"

#include "arrays.h"
#include "bindings.h"
#include "form_counts.h"
#include "options.h"
#include "texts.h"

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

// Bags that kith.spark has made as a run of one machine: BagRunWriter.
namespace {

using nb::literals::operator""_a;

std::unique_ptr<BagRunWriter> create(const std::vector<std::string>& words,
                                     const std::string& folder, nb::handle stems, nb::handle forms,
                                     const Input<uint64_t>& documents) {
  const Texts given = take_texts(stems, "stems");
  const Texts shown = take_texts(forms, "forms");
  if (shown.views.size() != given.views.size() || documents.size() != given.views.size()) {
    throw Raised{{ErrorKind::usage, "stems, forms, documents: have different lengths"}};
  }
  std::vector<BagRunTerm> terms;
  terms.reserve(given.views.size());
  for (size_t i = 0; i < given.views.size(); ++i) {
    terms.push_back({given.views[i], shown.views[i], documents(i)});
  }
  const BagStepOptions options = bag_step_options(words);
  return unlocked([&] { return BagRunWriter::create(folder, options, terms); });
}

// Bag i is entries[offsets[i], offsets[i + 1]).
void add_bags(BagRunWriter& self, nb::handle keys, const Input<uint64_t>& offsets,
              const Input<uint64_t>& entries) {
  const Texts given = take_texts(keys, "keys");
  if (offsets.size() != given.views.size() + 1) {
    throw Raised{{ErrorKind::usage, "keys, offsets: do not fit together"}};
  }
  unlocked([&]() -> Result<bool> {
    for (size_t i = 0; i < given.views.size(); ++i) {
      if (offsets(i) > offsets(i + 1) || offsets(i + 1) > entries.size()) {
        return Error{ErrorKind::usage, "offsets: must be those of the entries"};
      }
      const auto bag = span_of(entries).subspan(offsets(i), offsets(i + 1) - offsets(i));
      if (auto status = self.add({given.views[i], bag}); !status) return status.error();
    }
    return true;
  });
}

}  // namespace

void add_bag_run(nb::module_& module) {
  nb::class_<BagRunWriter>(module, "BagRunWriter",
                           "A run of bags that were made elsewhere: kith::BagRunWriter.")
      .def_static("create", &create, "words"_a, "folder"_a, "stems"_a, "forms"_a, "documents"_a)
      .def("add", &add_bags, "keys"_a, "offsets"_a, "entries"_a)
      .def("finish", [](BagRunWriter& self) { raise_error(self.finish()); });
}

// Words of many pages added up, for kith.spark: FormCounts.
namespace {

using nb::literals::operator""_a;

void add_forms(FormCounts& self, size_t parts, const Input<uint8_t>& stems,
               const Input<uint32_t>& stem_sizes, const Input<uint32_t>& documents,
               const Input<uint8_t>& forms, const Input<uint32_t>& form_sizes,
               const Input<uint32_t>& form_stems, const Input<uint64_t>& form_counts) {
  const StemForms given = {{span_of(stems), span_of(stem_sizes)},
                           span_of(documents),
                           {span_of(forms), span_of(form_sizes)},
                           span_of(form_stems),
                           span_of(form_counts)};
  raise_error([&] {
    const nb::gil_scoped_release released;
    return self.add(given, parts);
  }());
}

// By slice that has stems: its number and a dictionary of them.
nb::list take_slices(FormCounts& self, uint32_t slices) {
  std::vector<OwnedStemForms> taken = [&] {
    const nb::gil_scoped_release released;
    return self.take_slices(slices);
  }();
  nb::list found;
  for (uint32_t slice = 0; slice < slices; ++slice) {
    OwnedStemForms& some = taken[slice];
    if (some.stems.size() == 0) continue;
    nb::dict made;
    made["stems"] = list_of(std::move(some.stems));
    made["documents"] = vector_of(std::move(some.documents));
    made["forms"] = list_of(std::move(some.forms));
    made["form_stems"] = vector_of(std::move(some.form_stems));
    made["form_counts"] = vector_of(std::move(some.form_counts));
    found.append(nb::make_tuple(slice, made));
  }
  return found;
}

// stems, words, documents, linked.
nb::tuple terms(const FormCounts& self, uint64_t min_documents) {
  FoundTerms found = [&] {
    const nb::gil_scoped_release released;
    return self.terms(min_documents);
  }();
  return nb::make_tuple(list_of(std::move(found.stems)), list_of(std::move(found.words)),
                        vector_of(std::move(found.documents)), vector_of(std::move(found.linked)));
}

}  // namespace

void add_form_counts(nb::module_& module) {
  nb::class_<FormCounts>(module, "FormCounts", "How often stems and their forms are met.")
      .def(nb::init<>())
      .def_prop_ro("stems", &FormCounts::stems)
      .def_prop_ro("forms", &FormCounts::forms)
      .def("add", &add_forms, "parts"_a, "stems"_a, "stem_sizes"_a, "documents"_a, "forms"_a,
           "form_sizes"_a, "form_stems"_a, "form_counts"_a)
      .def("take_slices", &take_slices, "slices"_a)
      .def("terms", &terms, "min_documents"_a);
}

}  // namespace kith::python
