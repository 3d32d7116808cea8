// The steps from texts to bags for kith.spark: words, BagDictionary, BagRunWriter, FormCounts.
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

#include "kith/options.h"

#include "arrays.h"
#include "bindings.h"
#include "cli/program.h"
#include "distributed/bag_run.h"
#include "distributed/page_words.h"
#include "distributed/url_words.h"
#include "form_counts.h"
#include "page_words.h"
#include "texts.h"

namespace kith::python {
namespace {

namespace nb = nanobind;
using nb::literals::operator""_a;
using distributed::BagDictionary;
using distributed::BagRunWriter;
using distributed::UrlWords;

void make_options(ClusterOptions* self, const std::vector<std::string>& words) {
  const ClusterOptions options = value_or_raise(cli::cluster_options(words));
  raise_error(validate(options));
  new (self) ClusterOptions(options);
}

nb::dict words_of_texts(const ClusterOptions& options, nb::handle texts, nb::handle titles) {
  const Texts given = take_texts(texts, "texts");
  const Texts named = titles.is_none() ? Texts() : take_texts(titles, "titles");
  return dict_of(
      unlocked([&] { return distributed::words_of_texts(options, given.views, named.views); }));
}

std::unique_ptr<BagDictionary> dictionary(const ClusterOptions& options,
                                          const std::vector<uint64_t>& filled, nb::handle stems,
                                          const Input<uint64_t>& documents) {
  const Texts given = take_texts(stems, "stems");
  return unlocked(
      [&] { return BagDictionary::make(options, filled, given.views, span_of(documents)); });
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

// The offsets and entries of bags.
nb::tuple weigh(const BagDictionary& self, nb::handle stems, const Input<uint64_t>& offsets,
                const Input<uint64_t>& entries) {
  const Texts given = take_texts(stems, "stems");
  distributed::PageBags made =
      unlocked([&] { return self.weigh(given.views, span_of(offsets), span_of(entries)); });
  return nb::make_tuple(vector_of(std::move(made.offsets)), vector_of(std::move(made.entries)));
}

std::unique_ptr<UrlWords> url_words(const ClusterOptions& options, nb::handle fragments,
                                    const nb::bytes& folded) {
  const Texts given = take_texts(fragments, "fragments");
  const std::string_view urls(folded.c_str(), folded.size());
  return unlocked([&] { return UrlWords::make(options, given.views, urls); });
}

std::unique_ptr<UrlWords> url_words_with_copies(const ClusterOptions& options, nb::handle urls) {
  const Texts given = take_texts(urls, "urls");
  return unlocked([&] { return UrlWords::with_copies(options, given.views); });
}

nb::tuple url_keys(nb::handle urls, bool names) {
  const Texts given = take_texts(urls, "urls");
  return list_of(distributed::url_keys(given.views, names));
}

std::unique_ptr<BagRunWriter> create_run(const std::vector<std::string>& words,
                                         const std::string& folder, nb::handle stems,
                                         nb::handle forms, const Input<uint64_t>& documents) {
  const ClusterOptions options = value_or_raise(cli::cluster_options(words));
  const Texts given = take_texts(stems, "stems");
  const Texts shown = take_texts(forms, "forms");
  return unlocked([&] {
    return BagRunWriter::create(folder, options, given.views, shown.views, span_of(documents));
  });
}

void add_to_run(BagRunWriter& self, nb::handle keys, const Input<uint64_t>& offsets,
                const Input<uint64_t>& entries) {
  const Texts given = take_texts(keys, "keys");
  unlocked([&] { return self.add(given.views, span_of(offsets), span_of(entries)); });
}

}  // namespace

void add_bags(nb::module_& module) {
  nb::class_<ClusterOptions>(module, "BagSteps",
                             "The steps of bags on many machines, by their options.")
      .def("__init__", &make_options, "words"_a)
      .def_ro("min_df", &ClusterOptions::min_df)
      .def_prop_ro("folds_aliases",
                   [](const ClusterOptions& options) { return folds_aliases(options); })
      .def_prop_ro("parts",
                   [](const ClusterOptions& self) { return distributed::slots_of(self).parts(); })
      .def("words", &words_of_texts, "texts"_a, "titles"_a.none() = nb::none())
      .def("dictionary", &dictionary, "filled"_a, "stems"_a, "documents"_a)
      .def("url_words", &url_words, "fragments"_a, "folded"_a)
      .def("url_words_with_copies", &url_words_with_copies, "urls"_a);
  nb::class_<BagDictionary>(module, "BagDictionary", "The terms of all bags and what they weigh.")
      .def_prop_ro("terms", &BagDictionary::terms)
      .def_prop_ro("frequent_terms", &BagDictionary::frequent_terms)
      .def("find", &find, "stems"_a)
      .def("weigh", &weigh, "stems"_a, "offsets"_a, "entries"_a);
  nb::class_<BagRunWriter>(module, "BagRunWriter", "A run of bags that were made elsewhere.")
      .def_static("create", &create_run, "words"_a, "folder"_a, "stems"_a, "forms"_a, "documents"_a)
      .def("add", &add_to_run, "keys"_a, "offsets"_a, "entries"_a)
      .def("finish", [](BagRunWriter& self) { unlocked([&] { return self.finish(); }); });
  module.def("url_keys", &url_keys, "urls"_a, "names"_a = false);
}

// Words of many pages added up, for kith.spark: FormCounts.
namespace {

void add_forms(FormCounts& self, size_t parts, const Input<uint8_t>& stems,
               const Input<uint32_t>& stem_sizes, const Input<uint32_t>& documents,
               const Input<uint8_t>& forms, const Input<uint32_t>& form_sizes,
               const Input<uint32_t>& form_stems, const Input<uint64_t>& form_counts) {
  const StemForms given = {{span_of(stems), span_of(stem_sizes)},
                           span_of(documents),
                           {span_of(forms), span_of(form_sizes)},
                           span_of(form_stems),
                           span_of(form_counts)};
  unlocked([&] { return self.add(given, parts); });
}

// By slice that has stems: its number and a dictionary of them.
nb::list take_slices(FormCounts& self, uint32_t slices) {
  std::vector<OwnedStemForms> taken = unlocked([&] { return self.take_slices(slices); });
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
  FoundTerms found = unlocked([&] { return self.terms(min_documents); });
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
