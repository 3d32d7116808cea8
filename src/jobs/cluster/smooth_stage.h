// Smoothed bags: a page's own bag, and the mean of those of its neighbours
// (docs/algorithms/smooth.md).
#pragma once

#include <cstdint>
#include <string>

#include "kith/options.h"
#include "kith/progress.h"
#include "kith/report.h"
#include "kith/status.h"

#include "base/parallel/thread_pool.h"
#include "jobs/cluster/pair_stage.h"
#include "run/index_files.h"
#include "sketch/bag.h"
#include "storage/file_system.h"

namespace kith::jobs {

inline constexpr uint32_t smoothing_neighbours = 20;  // that count, of those that are listed
inline constexpr uint32_t smoothed_terms = 150;       // of a smoothed bag, at most
// Of a longer bag the words of the largest weights count, of equal weights the smaller term ids.
inline constexpr uint32_t max_smoothed_words = 2000;
// The page's own bag counts two fifths, the mean of those of its neighbours three.
inline constexpr uint32_t own_weight = 2;
inline constexpr uint32_t others_weight = 3;

// What a neighbour counts in the mean: its similarity in units of 2^-16, rounded to the nearest,
// at least 1.
uint32_t smoothing_share(uint32_t sum_of_minima);

// What write_smoothed_bags() holds at most, with so many threads: bytes.
uint64_t smoothing_bytes(const sketch::BagCollection& bags, unsigned threads);

// Writes the smoothed bags of all ids in the format of bags.kith. A bag without neighbours is its
// own, cut. Depends on the bags and the lists only.
Status write_smoothed_bags(storage::FileSystem& fs, const std::string& path,
                           const sketch::BagCollection& bags, const run::Neighbours& neighbours,
                           ThreadPool& pool);

// The smooth stage: the nearest URLs of every URL by smoothed bags (docs/algorithms/smooth.md).
struct SmoothInputs {
  const sketch::BagCollection& bags;
  const run::Neighbours& neighbours;          // of these bags, as the pairs stage has found them
  EngineChoice engine = EngineChoice::exact;  // that of the run: exact or lsh
  const ClusterOptions& options;
};

// Makes the smoothed bags, joins them by the engine, and writes their lists, of all hosts and of
// others: order, sums and degrees are those of smoothed bags. These and their signatures lie in the
// scratch folder until the end. The files are the same for any number of threads and any memory. An
// error of kind usage when the memory is too small; it names the minimum.
Result<SmoothReport> write_smoothed_neighbours(const NeighbourFiles& files,
                                               const SmoothInputs& inputs, PairResources resources,
                                               const ProgressCallback& progress);

}  // namespace kith::jobs
