// The tables of a plan that a caller of the library has.
#pragma once

#include <cstdint>

#include "kith/tune.h"

#include "sketch/lsh/tables.h"

namespace kith::cluster {

// seed: of the tables (seeds.h).
inline sketch::TableParams table_params(const TablePlan& plan, uint64_t seed) {
  sketch::TableParams params;
  params.lanes = plan.lanes;
  params.per_key = plan.per_key;
  params.tables = plan.tables;
  params.seed = seed;
  return params;
}

}  // namespace kith::cluster
