// The options of the command line that hold for documents in memory.
#pragma once

#include <string>
#include <vector>

#include "kith/text_dedup.h"

#include "cli/job_options.h"
#include "errors.h"

namespace kith::python {

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
