// The options of a job over documents in memory, as those of a run.
#pragma once

#include "kith/dedup.h"
#include "kith/text_dedup.h"

namespace kith::api {

// Of its input the name alone is used.
inline DedupOptions run_options(const DuplicateOptions& options, const ShingleOptions& shingles,
                                const Resources& resources) {
  DedupOptions run;
  static_cast<DuplicateOptions&>(run) = options;
  static_cast<ShingleOptions&>(run) = shingles;
  static_cast<Resources&>(run) = resources;
  run.inputs = {"documents"};
  return run;
}

// The first option that is out of range, or not for documents in memory.
Status check_options(const DedupOptions& options);

}  // namespace kith::api
