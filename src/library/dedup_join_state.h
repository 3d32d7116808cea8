// What the steps of near-duplicates share. Internal to this folder.
#pragma once

#include <cstddef>
#include <utility>

#include "kith/dedup_steps.h"
#include "kith/status.h"

#include "library/batch.h"
#include "lsh/subset_masks.h"
#include "lsh/tables.h"
#include "tables/bucket_split.h"

namespace kith {

struct DedupJoin::State {
  State(const lsh::TableParams& params, const DedupOptions& run_options, uint32_t min_equal_bytes)
      : options(run_options),
        min_equal(min_equal_bytes),
        tables(params),
        masks(tables),
        pivots(pairs::pivot_rule(options.similarity, options.lanes)) {}

  const DedupOptions options;
  const uint32_t min_equal;  // low bytes of a candidate
  const lsh::Tables tables;
  const lsh::SubsetMasks masks;
  const pairs::PivotRule pivots;
};

namespace library {

// That signatures are those of so many documents.
inline Status check_signatures(size_t documents, size_t values, uint32_t lanes) {
  if (values == documents * lanes) return Status::ok();
  return usage(fmt::format("{} documents have {} values of signatures: {} are needed", documents,
                           values, documents * lanes));
}

}  // namespace library
}  // namespace kith
