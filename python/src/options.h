// Options and words of Python as those of the library.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nanobind/nanobind.h>

#include "kith/bag_steps.h"
#include "kith/crawl_steps.h"
#include "kith/shingles.h"
#include "kith/text_dedup.h"

#include "arrays.h"
#include "bindings.h"
#include "cli/program.h"

namespace kith::python {

// The words that name what shingles are made of.

// "words" or "characters". Throws an error of kind usage.
inline ShingleUnit unit_named(const std::string& name) {
  if (name == "words") return ShingleUnit::words;
  if (name == "characters") return ShingleUnit::characters;
  throw Raised{{ErrorKind::usage, fmt::format("unit: '{}' is not one of words, characters", name)}};
}

// "keep", "mask" or "drop". Throws an error of kind usage.
inline Numbers numbers_named(const std::string& name) {
  if (name == "keep") return Numbers::keep;
  if (name == "mask") return Numbers::mask;
  if (name == "drop") return Numbers::drop;
  throw Raised{
      {ErrorKind::usage, fmt::format("numbers: '{}' is not one of keep, mask, drop", name)}};
}

// The options of the command line that bags depend on. Raises kith.UsageError.
inline BagStepOptions bag_step_options(const std::vector<std::string>& words) {
  const ClusterOptions all = value_or_raise(cli::cluster_options(words));
  BagStepOptions options;
  options.weighting = all.weighting;
  options.min_df = all.min_df;
  options.max_df = all.max_df;
  options.max_terms = max_terms_of(all);
  options.max_page = all.max_page;
  options.language = all.language;
  options.boilerplate = all.boilerplate;
  options.bags = all.bags;
  options.content_share = all.content_share;
  options.window = window_of(all);
  options.links = all.links;
  options.urls = all.urls;
  options.aliases = folds_aliases(all);
  return options;
}

// Lists of strings and words of pages, as kith.spark takes them.

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
