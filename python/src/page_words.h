// Lists of strings and words of pages, as kith.spark takes them.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>

#include "kith/bag_steps.h"
#include "kith/crawl_steps.h"

#include "numpy_arrays.h"

namespace kith::python {

// bytes, offsets: one more than there are strings.
inline nanobind::tuple list_of(StringList strings) {
  return nanobind::make_tuple(nanobind::bytes(strings.bytes.data(), strings.bytes.size()),
                              vector_of(std::move(strings.offsets)));
}

inline nanobind::dict dict_of(PageWords made) {
  nanobind::dict found;
  found["stems"] = list_of(std::move(made.stems));
  found["documents"] = vector_of(std::move(made.documents));
  found["offsets"] = vector_of(std::move(made.offsets));
  found["terms"] = vector_of(std::move(made.terms));
  found["counts"] = vector_of(std::move(made.counts));
  found["forms"] = list_of(std::move(made.forms));
  found["form_stems"] = vector_of(std::move(made.form_stems));
  found["form_counts"] = vector_of(std::move(made.form_counts));
  found["words"] = made.words;
  return found;
}

// The URLs, as a list, and the words.
inline nanobind::tuple tuple_of(FilePages pages) {
  return nanobind::make_tuple(list_of(std::move(pages.urls)), dict_of(std::move(pages.words)));
}

}  // namespace kith::python
