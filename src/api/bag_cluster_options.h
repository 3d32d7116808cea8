// The options of a run, for bags in memory or on many machines. Internal to this folder.
#pragma once

#include "kith/cluster_bags.h"
#include "kith/options.h"

namespace kith::api {

// Of its inputs nothing is used.
inline ClusterOptions run_options(const BagClusterOptions& options) {
  ClusterOptions run;
  run.inputs = {"bags"};
  run.output = "memory";
  run.similarity = options.similarity;
  run.recall = options.recall;
  run.engine = options.engine;
  run.lanes = options.lanes;
  run.max_tables = options.max_tables;
  run.min_words = options.min_words;
  run.order = options.order;
  run.assign = options.assign;
  run.seed = options.seed;
  run.threads = options.threads;
  return run;
}

}  // namespace kith::api
