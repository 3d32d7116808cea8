// The options of a job over documents in memory, as those of a run.
#pragma once

#include "kith/dedup.h"
#include "kith/text_dedup.h"

namespace kith::api {

// Of its input and output nothing is used.
inline DedupOptions run_options(const TextDedupOptions& options) {
  DedupOptions run;
  run.inputs = {"documents"};
  run.output = "memory";
  run.method = options.method;
  run.shingles = options.shingles.unit;
  run.width = options.shingles.width;
  run.bag = options.shingles.bag;
  run.normalize = options.shingles.normalize;
  run.numbers = options.shingles.numbers;
  run.similarity = options.similarity;
  run.recall = options.recall;
  run.lanes = options.lanes;
  run.distance = options.distance;
  run.verify = options.verify;
  run.groups = options.groups;
  run.order = options.order;
  run.keep = options.keep;
  run.max_comparisons = options.max_comparisons;
  run.seed = options.seed;
  run.memory = options.memory;
  run.threads = options.threads;
  return run;
}

}  // namespace kith::api
