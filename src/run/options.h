// Options: what is refused, and what bags depend on.
#pragma once

#include <string>

#include "kith/bag_steps.h"
#include "kith/options.h"

namespace kith::run {

// What bags depend on, as options of a run.
inline ClusterOptions run_options_of_bags(const BagStepOptions& options, const std::string& input,
                                          const std::string& output) {
  ClusterOptions run;
  run.inputs = {input};
  run.output = output;
  run.bags = options.bags;
  run.content_share = options.content_share;
  run.window = options.window;
  run.links = options.links;
  run.urls = options.urls;
  run.aliases = options.aliases;
  run.boilerplate = options.boilerplate;
  run.weighting = options.weighting;
  run.min_df = options.min_df;
  run.max_df = options.max_df;
  run.max_terms = options.max_terms;
  run.max_page = options.max_page;
  run.language = options.language;
  return run;
}

}  // namespace kith::run
