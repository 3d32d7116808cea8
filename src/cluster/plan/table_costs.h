// What tables cost on this crawl: operations, buckets and pairs, from a sample.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kith/report.h"
#include "kith/status.h"
#include "kith/tune.h"

#include "base/parallel/thread_pool.h"
#include "evaluate/brute_force.h"
#include "similar/duplicates.h"
#include "similar/tables/bucket_split.h"
#include "sketch/bag.h"
#include "sketch/lsh/tables.h"
#include "sketch/signature.h"

namespace kith::cluster::cost {

// What the operations of the engines take, in nanoseconds on one server core of 2.5 GHz: good for
// choosing between engines and parameters, not for promises. Found by bench/pairs_join.cc,
// bench/cluster_leader.cc and runs on synthetic bags.

// Exact engine.
inline constexpr double posting = 0.9;  // of a sparse term, added to an accumulator
inline constexpr double cell = 0.015;   // of a dense row: (query, term, bag)
inline constexpr double slot = 0.2;     // to clear and scan an accumulator, per query and bag
// Leaders are sought one query at a time, which takes 2.4 times as long a pair as the join does,
// among half of them on average.
inline constexpr double leader_scan = 1.2;  // times the join, and the share of leaders

// Both engines.
inline constexpr double merge = 450;  // two bags compared entry by entry

// Engine with tables.
inline constexpr double sign = 0.03;         // per entry and lane
inline constexpr double sign_copies = 100;   // of a bag's words, beside one partial copy a word
inline constexpr double sort = 50;           // a key made, sorted and met in its bucket
inline constexpr double join_compare = 6;    // of two signatures in a bucket
inline constexpr double leader_compare = 6;  // of a signature with that of a leader
inline constexpr double probe_memory = 70;   // a look-up or an insert in the leader tables
inline constexpr double probe_cache = 30;    // the same while they fit the cache
inline constexpr double cache_bytes = 16e6;
inline constexpr double leader_entry_bytes = 5.4;  // of a leader in a table, and the directory

}  // namespace kith::cluster::cost

// The tables of a plan that a caller of the library has.
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

// How many others an id meets in a table, from a sample (docs/algorithms/lsh.md, "What they cost").
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

// What a sample of queries, compared with all bags, says about all pairs of different bags.

// Estimates for a pair of bags drawn at random from the N bags that are neither empty nor equal to
// an earlier one. Queries are drawn from all URLs, so that a bag that m URLs share is met m times
// as often as others, and counts 1 / m each time. Immutable, thread-safe; views the sample.
class PairStatistics {
 public:
  // REQUIRES: the sample was made with histograms over these groups. `distinct` is N.
  PairStatistics(const evaluate::BruteForceResult& sample, const similar::DuplicateGroups& groups,
                 uint64_t distinct);

  // The share of pairs whose similarity is at least s, up to the width of a histogram bin.
  double share_above(double s) const;
  // About the share of n bags that become leaders at threshold s: the mean of 1 / (d + 1), d the
  // number of bags at or above s, in proportion to n. In random order a bag comes before its d
  // neighbours with that chance, and leads then (Caro 1979; Wei 1981).
  double leader_share(double s, double n) const;

 private:
  struct Query {
    double weight;  // of all weights
    const evaluate::SimilarityHistogram* histogram;
  };
  std::vector<Query> queries_;
  double others_;  // that a query is compared with, >= 1
  std::array<double, evaluate::SimilarityHistogram::bins> shares_{};  // of all pairs, by bin
};

// How many minima per key, and how many tables: by what they would cost (docs/algorithms/lsh.md,
// "Choosing k and l").

// What the cost of a run depends on beside the similarities.
struct JobShape {
  uint64_t distinct_bags = 0;  // representatives, which both engines work on
  double entries_per_bag = 0;
  uint32_t top = 20;       // K
  bool sorts_mass = true;  // the scan order is by LSH mass, which sorts all keys once more
  Meetings meetings{};     // what a bag meets in a table, by k
};

// What keys of k minima in l tables cost in one run, joins and leader index together, on one
// thread.
struct TableCost : TablesReport {
  sketch::TableParams params;
};

double expected_leaders(const PairStatistics& pairs, const JobShape& job, double threshold);

// `leaders` is expected_leaders() at the threshold.
TableCost cost_of_tables(const PairStatistics& pairs, const JobShape& job, double threshold,
                         double leaders, const sketch::TableParams& tables);

struct TableRequest {
  double threshold = 0.2;  // (0, 1]
  bool may_rise = false;   // the threshold may be raised to what is affordable
  double recall = 0.9;     // at the threshold, (0, 1)
  uint32_t lanes = 128;
  uint32_t max_tables = 512;
  uint64_t seed = 1;
};

struct TableChoice {
  double threshold = 0;  // at least the one requested
  double leaders = 0;    // expected at this threshold
  // One a k that reaches the recall, ascending; not empty. Those whose buckets are split too often
  // (max_split) are left out, unless all are: then the one where they are least is here.
  std::vector<TableCost> considered;
  size_t chosen = 0;  // index of the cheapest

  const TableCost& best() const { return considered[chosen]; }
};

// What tables may cost before an automatic threshold gives way: two minutes, or half a millisecond
// a bag if that is more.
double affordable_seconds(const JobShape& job);

// The cheapest tables that reach the recall at the threshold. A threshold that may rise does so in
// steps of 0.01 to the first one that is affordable; when none is, to the first that can be
// reached. Errors of sketch::table_choices(). Deterministic.
Result<TableChoice> choose_table_costs(const PairStatistics& pairs, const JobShape& job,
                                       const TableRequest& request);

}  // namespace kith::cluster
