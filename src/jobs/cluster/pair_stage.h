// The pairs stage, and the check of its recall by brute force.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kith/options.h"
#include "kith/progress.h"
#include "kith/report.h"
#include "kith/status.h"

#include "base/budget.h"
#include "base/parallel/thread_pool.h"
#include "cluster/plan/similarity_plan.h"
#include "jobs/cluster/signature_stage.h"
#include "run/index_files.h"
#include "similar/duplicates.h"
#include "sketch/bag.h"
#include "storage/file_system.h"

namespace kith::jobs {

// The pairs stage: the nearest URLs of every URL, and how many are similar to it.

// Where and within what the pairs stage works.
struct PairResources {
  storage::FileSystem& fs;
  std::string scratch;  // a folder for temporary files
  Budget memory = {};   // of the whole process
  ThreadPool& pool;
  uint64_t held = 0;  // bytes of it that the caller holds, besides bytes_of_url
};

// What the pairs stage leaves.
struct NeighbourFiles {
  std::string neighbours;
  uint32_t count = 0;  // K of this file
  // The nearest on other hosts: written unless other_count is 0 or there is one host only.
  std::string other_sites;
  uint32_t other_count = 0;
  std::vector<uint32_t> first_ids = {};  // bags::first_ids_of_hosts()
  bool similar_only = false;             // both files have pairs from the threshold on only
};

// Joins by the plan's engine and writes the files. `signatures` may be null with the exact engine.
Result<PairCounts> write_neighbours(const NeighbourFiles& files, const sketch::BagCollection& bags,
                                    const cluster::SimilarityPlan& plan,
                                    const SignatureTable* signatures,
                                    const PairResources& resources,
                                    const ProgressCallback& progress);

// K of the nearest on other hosts, which come with neighbours only.
inline uint32_t other_sites_kept(const ClusterOptions& options) {
  return options.neighbours > 0 ? options.other_sites : 0;
}

// Whether a run looks for pairs: lists of neighbours and the scan order by degree are made of them.
bool needs_pairs(EngineChoice engine, const ClusterOptions& options);

// The check: a sample of URLs is compared with all others by brute force, and what the run found is
// held against the truth.

// Pairs: the degree that the run counted for each sampled URL against the number of URLs that
// of its class are truly at or above the threshold. Neighbours, of any class: the lists of the run
// against the true K nearest, every similarity compared exactly.
CheckReport check_run(const sketch::BagCollection& bags, uint32_t min_sum,
                      const similar::Classes& classes, const run::Neighbours& neighbours,
                      const ClusterOptions& options, ThreadPool& pool);

}  // namespace kith::jobs
