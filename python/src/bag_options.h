// The options of the command line that bags of texts depend on.
#pragma once

#include <string>
#include <vector>

#include "kith/bag_steps.h"

#include "cli/job_options.h"
#include "errors.h"

namespace kith::python {

// Raises kith.UsageError.
inline BagStepOptions bag_options(const std::vector<std::string>& words) {
  const ClusterOptions all = value_or_raise(cli::cluster_options(words));
  BagStepOptions options;
  options.weighting = all.weighting;
  options.min_df = all.min_df;
  options.max_df = all.max_df;
  options.max_terms = all.max_terms.value_or(0);
  options.max_page = all.max_page;
  options.language = all.language;
  return options;
}

}  // namespace kith::python
