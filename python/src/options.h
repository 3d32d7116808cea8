// Options and words of Python as those of the library.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nanobind/nanobind.h>

#include "kith/shingles.h"
#include "kith/text_dedup.h"

#include "bindings.h"
#include "cli/job_options.h"

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

// The options of the command line that hold for documents in memory.

// Raises kith.UsageError.
inline TextDedupOptions text_options(const std::vector<std::string>& words) {
  const DedupOptions all = value_or_raise(cli::dedup_options(words));
  TextDedupOptions options;
  options.shingles = {all.shingles, all.width, all.bag, all.normalize, all.numbers};
  options.method = all.method;
  options.similarity = all.similarity;
  options.recall = all.recall;
  options.lanes = all.lanes;
  options.distance = all.distance;
  options.verify = all.verify;
  options.groups = all.groups;
  options.order = all.order;
  options.keep = all.keep;
  options.max_comparisons = all.max_comparisons;
  options.seed = all.seed;
  options.memory = all.memory;
  options.threads = all.threads;
  return options;
}

}  // namespace kith::python
