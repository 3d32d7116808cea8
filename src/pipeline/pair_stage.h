// The pairs stage: the nearest URLs of every URL, and how many are similar to it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kith/progress.h"
#include "kith/report.h"
#include "kith/status.h"

#include "exact/exact_join.h"
#include "parallel/thread_pool.h"
#include "pipeline/signature_stage.h"
#include "plan/similarity_plan.h"
#include "sketch/bag.h"
#include "storage/file_system.h"
#include "tables/lsh_join.h"

namespace kith::pipeline {

// Where and within what the pairs stage works.
struct PairResources {
  storage::FileSystem& fs;
  std::string scratch;  // a folder for temporary files
  uint64_t memory = 0;  // bytes for the whole process; 0: whatever it takes
  ThreadPool& pool;
};

// Joins by the plan's engine and writes the neighbours file. `signatures` may be null with the
// exact engine.
Result<PairCounts> write_neighbours(const std::string& path, const BagCollection& bags,
                                    const SimilarityPlan& plan, const SignatureTable* signatures,
                                    uint32_t neighbours, const PairResources& resources,
                                    const ProgressCallback& progress);

// Whether a run looks for pairs: lists of neighbours and the scan order by degree are made of them.
bool needs_pairs(EngineChoice engine, const ClusterOptions& options);

}  // namespace kith::pipeline
