// How many others an id meets in a table, from a sample (docs/algorithms/lsh.md, "What they cost").
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/parallel/thread_pool.h"
#include "similar/duplicates.h"
#include "similar/tables/bucket_split.h"
#include "sketch/bag.h"
#include "sketch/lsh/tables.h"
#include "sketch/signature.h"

namespace kith::cluster {

struct Meeting {
  double others = 0;  // that a representative is compared with in a table, expected
  // Share of representatives whose bucket is over the bound, whole parts taken away.
  double split = 0;
  friend bool operator==(const Meeting&, const Meeting&) = default;
};
// By k, the minima of a key; [0] means nothing.
using Meetings = std::array<Meeting, sketch::max_per_key + 1>;

// Keys with more than this share in split buckets are not what their recall was promised for: most
// of their pairs would have to agree in further lanes.
inline constexpr double max_split = 0.1;

struct BucketSampleOptions {
  sketch::SketchOptions sketch = {};
  uint64_t seed = 1;
  double share = 0.01;    // of the representatives that are sketched, but
  size_t least = 20'000;  // at least so many, or all
  size_t largest = similar::largest_bucket;
  similar::PivotRule pivots = {};  // what stays together in a bucket over the bound
};

// Similarities do not tell how many ids are in a bucket that is split, so some representatives are
// sketched, every n-th, and sorted into 16 tables of each k. Of a bucket's members the sample holds
// a known share: c of it in a bucket stand for (c - 1) / share others of each, or for the bound
// where that is less. Deterministic for any number of threads. Memory: 2 bytes per lane and id of
// the sample.
Meetings sample_meetings(const sketch::BagCollection& bags, const similar::DuplicateGroups& groups,
                         const BucketSampleOptions& options, ThreadPool& pool);

// The signatures of some of the representatives, side by side.
struct SignatureSample {
  std::vector<uint16_t> values;
  uint32_t lanes = 0;
  double share = 1;  // of the representatives

  size_t size() const { return values.size() / lanes; }
};
// Which of so many representatives are in the sample, ascending.
std::vector<uint64_t> bucket_sample_places(uint64_t representatives,
                                           const BucketSampleOptions& options);
// sample_meetings() by the signatures of the sample.
Meetings sample_meetings(const SignatureSample& sample, const BucketSampleOptions& options,
                         ThreadPool& pool);

}  // namespace kith::cluster
