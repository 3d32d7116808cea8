// The tables of a plan that a caller of the library has.
#pragma once

#include <cstdint>

#include "kith/tune.h"

#include "lsh/tables.h"

namespace kith::pipeline {

// seed: of the tables (seeds.h).
inline lsh::TableParams table_params(const TablePlan& plan, uint64_t seed) {
  lsh::TableParams params;
  params.lanes = plan.lanes;
  params.per_key = plan.per_key;
  params.tables = plan.tables;
  params.seed = seed;
  return params;
}

}  // namespace kith::pipeline
