// Collections with everything that the cluster stage asks for, and the pairs of each engine
// enumerated by brute force.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "cluster/leader/index.h"
#include "similar/neighbour.h"
#include "sketch/bag.h"
#include "sketch/lsh/tables.h"
#include "support/random_bags.h"

namespace kith::cluster::test {

using Words = std::vector<std::pair<uint32_t, double>>;

kith::test::OwnedBags bags_of(std::span<const Words> bags);

// What the LSH engine knows about the ids.
struct SketchedBags {
  sketch::BagCollection bags;
  sketch::Signatures signatures;
  sketch::SignaturePlane plane;  // low bytes of the signatures
};

// Bags with their signatures; the arrays live as long as the collection, which does not move.
class Collection {
 public:
  explicit Collection(kith::test::OwnedBags bags);
  Collection(const Collection&) = delete;
  Collection& operator=(const Collection&) = delete;

  size_t size() const { return bags_.size(); }
  sketch::BagCollection bags() const { return bags_.view(); }
  SketchedBags sketched() const;

 private:
  kith::test::OwnedBags bags_;
  std::vector<uint16_t> signatures_;
  std::vector<uint8_t> plane_;
};

inline constexpr uint32_t lanes = 128;

// exact_leaders() over rows that stay where they are, or, with `part_bytes`, that lie in files.
LeaderResult exact_leaders(const sketch::BagCollection& bags, std::span<const uint32_t> order,
                           const LeaderOptions& options, ThreadPool& pool, uint64_t part_bytes = 0,
                           const LeaderProgress& progress = nullptr);

// The edges of exact_leaders().
std::vector<similar::Pair> similar_pairs(const sketch::BagCollection& bags, uint32_t min_sum);

// The edges of lsh_leaders().
std::vector<similar::Pair> colliding_pairs(const SketchedBags& sketched, const LshBuckets& buckets,
                                           uint32_t min_sum, double plane_miss);

// The part of a bucket that an id is in.
uint64_t part_of(const LshBuckets& buckets, uint32_t table, uint32_t id,
                 std::span<const uint16_t> signature);

// The buckets of all bags that are not empty.
LshBuckets buckets_of(const Collection& collection, const sketch::Tables& tables,
                      size_t largest = similar::largest_bucket,
                      const similar::Classes& classes = {});

// How many pairs every id is in.
std::vector<uint64_t> degrees_of(size_t n, std::span<const similar::Pair> pairs);

// The definition of CENTER, without a scan over pairs: the greedy maximal independent set in
// scan order, then every other id to its earliest or most similar center.
Clustering center_by_definition(size_t n, std::span<const similar::Pair> pairs,
                                std::span<const uint32_t> order, Assign assign);

}  // namespace kith::cluster::test
