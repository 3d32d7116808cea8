// The options of the command line that bags depend on, and clusters of bags.
#pragma once

#include <string>
#include <vector>

#include "kith/bag_steps.h"
#include "kith/cluster_bags.h"

#include "cli/job_options.h"
#include "errors.h"

namespace kith::python {

// Both raise kith.UsageError.
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

inline BagClusterOptions bag_cluster_options(const std::vector<std::string>& words) {
  const ClusterOptions all = value_or_raise(cli::cluster_options(words));
  BagClusterOptions options;
  options.similarity = all.similarity;
  options.recall = all.recall;
  options.engine = all.engine;
  options.lanes = all.lanes;
  options.max_tables = all.max_tables;
  options.min_words = all.min_words;
  options.order = all.order;
  options.assign = all.assign;
  options.seed = all.seed;
  options.threads = 1;
  return options;
}

}  // namespace kith::python
