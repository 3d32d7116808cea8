// Words of many pages added up, for kith.spark: FormCounts.
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>

#include "bindings.h"
#include "errors.h"
#include "form_counts.h"
#include "numpy_arrays.h"
#include "page_words.h"
#include "unlocked.h"

namespace kith::python {
namespace {

namespace nb = nanobind;
using nb::literals::operator""_a;

void add(FormCounts& self, size_t parts, const Input<uint8_t>& stems,
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
      .def("add", &add, "parts"_a, "stems"_a, "stem_sizes"_a, "documents"_a, "forms"_a,
           "form_sizes"_a, "form_stems"_a, "form_counts"_a)
      .def("take_slices", &take_slices, "slices"_a)
      .def("terms", &terms, "min_documents"_a);
}

}  // namespace kith::python
