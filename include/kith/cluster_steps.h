// The steps of `kith cluster` after its bags, for programs that spread bags over machines: each
// step is that of the engine with LSH tables on one machine, and takes the bags that one machine
// has at a time. kith.spark is made of them; docs/algorithms/spark.md says how they follow each
// other, and docs/algorithms/lsh.md, pairs.md and center.md what they do.
//
//   const auto steps = kith::ClusterSteps::make({.similarity = 0.2});
//   const auto features = steps->features(bags);       // of some of the bags
//   const auto truths = steps->compare(...);           // of some queries with some of the bags
//   const auto plan = steps->plan(sample);             // threshold and tables
//   const auto join = steps->join(plan->chosen);       // LSH tables: keys, candidates
//   const auto sums = steps->verify(plan->chosen.similarity, packed, a, b);  // candidates, exactly
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "kith/bags.h"
#include "kith/cluster_bags.h"
#include "kith/report.h"
#include "kith/status.h"
#include "kith/table_join.h"

#pragma GCC visibility push(default)

namespace kith {

// Bags in the caller's arrays, as they travel: bag i is entries [offsets[i], offsets[i + 1]), a
// term in the low half of each, terms ascending, and its weight in units of 2^-16 in the high half.
// Weights of a bag add up to 100. What is no such bag is an error of kind usage.
struct PackedBags {
  std::span<const uint64_t> offsets = {};
  std::span<const uint64_t> entries = {};

  size_t size() const { return offsets.empty() ? 0 : offsets.size() - 1; }
};

// What bags are compared by.
struct BagFeatures {
  std::vector<uint64_t> offsets;  // with entries, PackedBags
  std::vector<uint64_t> entries;
  std::vector<uint64_t> content;     // two values each: 128 bits that are equal for equal bags
  std::vector<uint16_t> signatures;  // of each a row, of SimilarityOptions::lanes values
};

// A bag that is near to a query.
struct QueryNeighbour {
  uint32_t query;  // its place among the queries
  uint32_t id;
  uint32_t sum_of_minima;  // > 0, in units of 2^-16
};

// What is known of some queries after a comparison with other bags.
struct QueryTruths {
  std::vector<QueryNeighbour> nearest;  // by query, the nearest first; of equal ones the lower id
  std::vector<uint64_t> histograms;     // by query a row: different bags, by sum of minima
};

// The threshold of a job, and its LSH tables: of so many with keys of so many lanes.
struct ClusterTables {
  double similarity = 0;
  uint32_t per_key = 0;
  uint32_t tables = 0;
};

// What was chosen, and why.
struct ClusterPlan {
  ClusterTables chosen;
  ThresholdReport threshold;
  EngineReport engine;
};

// Bags a < b by their places (in the scan order, or among those given), and their sum of minima.
struct SimilarBags {
  uint32_t a;
  uint32_t b;
  uint32_t sum_of_minima;
};

// The similar bags inside of whole parts (DocumentPlace::is_whole), for lists of pairs: all bags of
// a part are compared with each other. Of one thread.
class BagPartPairs {
 public:
  ~BagPartPairs();
  BagPartPairs(BagPartPairs&&) noexcept;
  BagPartPairs& operator=(BagPartPairs&&) noexcept;

  // The next pairs, by their places among the bags: `most`, and those of one more bag in its part
  // at the most; none at the end.
  Result<std::vector<SimilarBags>> next(size_t most);

 private:
  friend class ClusterSteps;
  struct State;
  explicit BagPartPairs(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// Bags of which many pairs are compared, some bags and some pairs at a time
// (ClusterSteps::verifier). Of one thread.
class BagVerifier {
 public:
  ~BagVerifier();
  BagVerifier(BagVerifier&&) noexcept;
  BagVerifier& operator=(BagVerifier&&) noexcept;

  // Puts bags behind those that there are, all or none. Memory: 8 bytes a term.
  Status add(const PackedBags& bags);
  size_t size() const;

  // By pair the sum of minima of bags a[i] and b[i], by their places in the order in which they
  // were added; 0 where they are not similar. Bags of few words, which are in no cluster, are in
  // pairs. Fast where pairs of the same a[i] follow each other.
  Result<std::vector<uint32_t>> sums(std::span<const uint32_t> a,
                                     std::span<const uint32_t> b) const;

 private:
  friend class ClusterSteps;
  struct State;
  explicit BagVerifier(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// Bags that come some at a time and are clustered together (ClusterSteps::gather), where all of
// them are on one machine. Of one thread.
class GatheredBags {
 public:
  ~GatheredBags();
  GatheredBags(GatheredBags&&) noexcept;
  GatheredBags& operator=(GatheredBags&&) noexcept;

  // Puts bags behind those that there are, all or none. Memory: 8 bytes a term.
  Status add(const PackedBags& bags);
  size_t size() const;

  // What cluster_bags() gives with the options of the steps for the bags in this order, by their
  // places in the order in which they were added; others are left out. The bags are gone then.
  // Memory: another 8 bytes a term at first, then that of cluster_bags().
  Result<BagClusters> cluster(std::span<const uint32_t> order) &&;

 private:
  friend class ClusterSteps;
  struct State;
  explicit GatheredBags(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// Immutable, thread-safe.
class ClusterSteps {
 public:
  static constexpr uint32_t query_neighbours = 20;  // of a query, in QueryTruths, at most
  static constexpr uint32_t histogram_bins = 235;   // values of a row in QueryTruths

  // Engine automatic means lsh, and order automatic means mass. An error of kind usage for options
  // out of range, and for those that are not for bags on many machines: other engines, and orders
  // but mass and url.
  static Result<ClusterSteps> make(const SimilarityOptions& options = {});
  ~ClusterSteps();
  ClusterSteps(ClusterSteps&&) noexcept;
  ClusterSteps& operator=(ClusterSteps&&) noexcept;

  const SimilarityOptions& options() const;

  Result<BagFeatures> features(const Bags& bags) const;
  // The same of bags whose entries are such already.
  Result<BagFeatures> features(const PackedBags& bags) const;

  // Without bags, for so many entries of bags, for which memory is taken at once.
  Result<GatheredBags> gather(uint64_t entries = 0) const;

  // Which bags are compared with all others to choose a threshold and tables, by their places among
  // the `filled` bags that are not empty; and whose signatures are looked at, by their places among
  // the `different` ones, which are neither empty nor equal to an earlier one. Ascending.
  std::vector<uint64_t> queries(uint64_t filled) const;
  std::vector<uint64_t> sketched(uint64_t different) const;

  // The queries, with their ids, and consecutive bags of the ids from `first` on, among which they
  // may be. is_copy: not 0 for a bag that is equal to one of a lower id.
  Result<QueryTruths> compare(const PackedBags& queries, std::span<const uint32_t> query_ids,
                              const PackedBags& bags, uint32_t first,
                              std::span<const uint8_t> is_copy) const;

  struct Sample {
    uint64_t bags = 0;
    uint64_t entries = 0;  // of all bags
    uint64_t different = 0;
    std::span<const uint32_t> query_ids = {};      // of queries(), ascending
    std::span<const uint32_t> words = {};          // by query, its terms
    std::span<const uint32_t> multiplicity = {};   // by query, bags equal to it, and itself
    std::span<const QueryNeighbour> nearest = {};  // of all comparisons, as in QueryTruths
    std::span<const uint64_t> histograms = {};     // the sum of all comparisons
    SignatureView signatures = {};                 // of sketched()
  };
  // Errors: no tables reach the recall.
  Result<ClusterPlan> plan(const Sample& sample) const;
  Result<TableJoin> join(const ClusterTables& chosen) const;
  // The same tables with the candidates of `kith pairs`: those of join() and some whose signatures
  // agree in fewer values than TableJoin::min_equal_bytes() of that.
  Result<TableJoin> join_for_pairs(const ClusterTables& chosen) const;

  // Without bags, for so many entries of bags, for which memory is taken at once.
  Result<BagVerifier> verifier(double similarity, uint64_t entries = 0) const;
  // BagVerifier::sums() of all bags at once.
  Result<std::vector<uint32_t>> verify(double similarity, const PackedBags& bags,
                                       std::span<const uint32_t> a,
                                       std::span<const uint32_t> b) const;

  // Bags of whole parts: part_members[i], by its place among them, is in the part part_names[i].
  struct PartBags {
    PackedBags bags = {};
    SignatureView signatures = {};
    std::span<const uint64_t> part_names = {};
    std::span<const uint32_t> part_members = {};
  };
  // By the bar of join_for_pairs(). The input need not outlive the call.
  Result<BagPartPairs> part_pairs(double similarity, const PartBags& input) const;

  // CENTER where there are whole parts (DocumentPlace::is_whole), over `count` bags that are
  // numbered in scan order.
  struct ScanInput {
    uint32_t count = 0;
    std::span<const SimilarBags> pairs = {};
    std::span<const uint32_t> numbers = {};  // of the bags in whole parts, ascending
    PackedBags bags = {};                    // these
    SignatureView signatures = {};
    std::span<const uint64_t> part_names = {};    // of a member of a whole part,
    std::span<const uint32_t> part_members = {};  // and its number
  };
  struct Centers {
    std::vector<uint32_t> center;         // by bag; its own number for a center
    std::vector<uint32_t> sum_of_minima;  // with the center; that of a bag with itself for a center
  };
  Result<Centers> scan(double similarity, const ScanInput& input) const;

 private:
  struct State;
  explicit ClusterSteps(std::unique_ptr<const State> state);
  std::unique_ptr<const State> state_;
};

}  // namespace kith

#pragma GCC visibility pop
