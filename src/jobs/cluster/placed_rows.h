// Rows in an order that is not that of their ids, and where they lie.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "kith/status.h"

#include "cluster/ordered_rows.h"
#include "jobs/cluster/cluster_stage.h"
#include "sketch/signature.h"

namespace kith::jobs {

// Bytes that the cluster stage has to work with.
uint64_t memory_of(const ClusterInputs& inputs);

struct PlacedRows {
  cluster::OrderedRows rows;
  uint64_t resident;  // bytes
};

// The rows of `order`: as they are where all of the collection fits beside `others` bytes (rows in
// any order bring in most of what they lie among), else in files of at most part_rows each. `order`
// must outlive them.
Result<PlacedRows> place_rows(const ClusterInputs& inputs, const sketch::Signatures& signatures,
                              std::span<const uint32_t> order, uint64_t others, ThreadPool& pool,
                              size_t part_rows = SIZE_MAX);

}  // namespace kith::jobs
