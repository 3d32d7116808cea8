// Words of pages as kith.spark takes them.
#pragma once

#include <utility>

#include <nanobind/nanobind.h>

#include "arrays.h"
#include "distributed/page_words.h"

namespace kith::python {

// bytes, offsets: one more than there are strings.
inline nanobind::tuple list_of(distributed::StringList strings) {
  return nanobind::make_tuple(nanobind::bytes(strings.bytes.data(), strings.bytes.size()),
                              vector_of(std::move(strings.offsets)));
}

inline nanobind::dict dict_of(distributed::PageWords made) {
  nanobind::dict found;
  found["stems"] = list_of(std::move(made.stems));
  found["documents"] = vector_of(std::move(made.documents));
  found["offsets"] = vector_of(std::move(made.offsets));
  found["entries"] = vector_of(std::move(made.entries));
  found["forms"] = list_of(std::move(made.forms));
  found["form_stems"] = vector_of(std::move(made.form_stems));
  found["form_counts"] = vector_of(std::move(made.form_counts));
  found["words"] = made.words;
  found["filled"] = made.filled;
  found["linked"] = made.linked;
  return found;
}

}  // namespace kith::python
