// The pairs stage: the nearest URLs of every URL, and how many are similar to it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "kith/progress.h"
#include "kith/status.h"

#include "pairs/exact_join.h"
#include "pairs/lsh_join.h"
#include "parallel/thread_pool.h"
#include "pipeline/signature_stage.h"
#include "pipeline/similarity_plan.h"
#include "sketch/bag.h"
#include "storage/file_system.h"

namespace kith::pipeline {

// Joins by the plan's engine and writes the neighbours file. `signatures` may be null with the
// exact engine.
Status write_neighbours(storage::FileSystem& fs, const std::string& path, const BagCollection& bags,
                        const SimilarityPlan& plan, const SignatureTable* signatures,
                        uint32_t neighbours, ThreadPool& pool, const ProgressCallback& progress);

// Gives all similar pairs to the sink, in the order that pairs::PairSink promises.
Status join_all(const BagCollection& bags, const SimilarityPlan& plan,
                const SignatureTable* signatures, ThreadPool& pool, const pairs::PairSink& sink);

}  // namespace kith::pipeline
