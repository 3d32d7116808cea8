// What the steps of jobs on many machines share. Internal to this folder.
#pragma once

#include <cstddef>
#include <utility>

#include "kith/status.h"
#include "kith/table_join.h"

#include "api/batch.h"
#include "similar/tables/bucket_split.h"
#include "sketch/lsh/subset_masks.h"
#include "sketch/lsh/tables.h"

namespace kith {

struct TableJoin::State {
  State(const sketch::TableParams& params, uint32_t min_equal_bytes, similar::PivotRule pivot_rule)
      : min_equal(min_equal_bytes), tables(params), masks(tables), pivots(pivot_rule) {}

  uint32_t lanes() const { return tables.params().lanes; }

  const uint32_t min_equal;  // low bytes of a candidate
  const sketch::Tables tables;
  const sketch::SubsetMasks masks;
  const similar::PivotRule pivots;
};

namespace distributed {

// That there are such tables.
inline Status check_tables(uint32_t per_key, uint32_t tables) {
  if (per_key >= 1 && per_key <= sketch::max_per_key && tables >= 1 &&
      tables <= sketch::tables_limit) {
    return Status::ok();
  }
  return api::usage(fmt::format("{} tables of {} values: are none of a plan", tables, per_key));
}

// That signatures are those of so many documents.
inline Status check_signatures(size_t documents, size_t values, uint32_t lanes) {
  if (values == documents * lanes) return Status::ok();
  return api::usage(fmt::format("{} documents have {} values of signatures: {} are needed",
                                documents, values, documents * lanes));
}

}  // namespace distributed
}  // namespace kith
