// Bags that kith.spark has made as a run of one machine: BagRunWriter.
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include "kith/bag_run.h"

#include "bag_options.h"
#include "bindings.h"
#include "errors.h"
#include "numpy_arrays.h"
#include "texts.h"
#include "unlocked.h"

namespace kith::python {
namespace {

namespace nb = nanobind;
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
void add(BagRunWriter& self, nb::handle keys, const Input<uint64_t>& offsets,
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
      .def("add", &add, "keys"_a, "offsets"_a, "entries"_a)
      .def("finish", [](BagRunWriter& self) { raise_error(self.finish()); });
}

}  // namespace kith::python
