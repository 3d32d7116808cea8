// The stages that find similar pages: signatures, pairs with the check of their recall, and
// smoothed bags.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kith/options.h"
#include "kith/progress.h"
#include "kith/report.h"
#include "kith/status.h"

#include "base/budget.h"
#include "base/parallel/thread_pool.h"
#include "cluster/plan/similarity_plan.h"
#include "run/index_files.h"
#include "similar/duplicates.h"
#include "sketch/bag.h"
#include "sketch/signature.h"
#include "storage/file_system.h"
#include "storage/section_file.h"

namespace kith::jobs {

// The sketch stage: a signature for every bag (docs/formats/signatures.md).

inline constexpr storage::FileKind signatures_kind{"sign", 1};

// Signatures mapped from their file.
class SignatureTable {
 public:
  // An error when the file does not hold `count` signatures of `lanes` values.
  static Result<SignatureTable> open(storage::FileSystem& fs, const std::string& path,
                                     uint32_t lanes, uint64_t count);
  const sketch::Signatures& signatures() const { return signatures_; }
  Status verify() const { return file_.verify(); }
  // See BagTable::stay().
  Status stay();

 private:
  storage::SectionFile file_;
  LargeArray<uint16_t> own_values_;  // of signatures that stay
  sketch::Signatures signatures_;
};

// Sketches all bags and writes the file. Memory: a few megabytes a thread.
Status write_signatures(storage::FileSystem& fs, const std::string& path,
                        const sketch::BagCollection& bags, const sketch::SketchOptions& options,
                        ThreadPool& pool);

// Sketches the bags [begin, end) and appends their rows to the current section of `file`.
Status append_signatures(storage::SectionWriter& file, const sketch::BagCollection& bags,
                         size_t begin, size_t end, const sketch::SketchOptions& options,
                         ThreadPool& pool);

// Signatures in parts: a shard sketches its share of the bags of a run, a merge puts the rows
// together (docs/formats/shards.md).
inline constexpr storage::FileKind signature_shard_kind{"sigs", 1};

// Part `shard` of `shards`, both from 1, of `bags` bags: ids that follow each other.
struct BagRange {
  uint64_t begin;
  uint64_t end;
};
BagRange share_of_bags(uint64_t bags, uint32_t shard, uint32_t shards);

// Sketches the bags of a range and writes the file of the shard.
Status write_signature_shard(storage::FileSystem& fs, const std::string& path,
                             const sketch::BagCollection& bags,
                             const sketch::SketchOptions& options, BagRange range,
                             ThreadPool& pool);

// Writes the signatures file of `bags` from those of all shards, in their order, whose checksums
// fit. An error of kind corrupt names the file that is not what it should be, or was made of other
// bags.
Status merge_signatures(storage::FileSystem& fs, const std::string& path,
                        std::span<const std::string> shards, const sketch::BagCollection& bags,
                        uint32_t lanes);

// The pairs stage, and the check of its recall by brute force.

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

// Smoothed bags: a page's own bag, and the mean of those of its neighbours
// (docs/algorithms/smooth.md).

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
