// --similarity auto: the threshold that suits a crawl (docs/algorithms/lsh.md).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "kith/report.h"

#include "base/parallel/thread_pool.h"
#include "evaluate/brute_force.h"
#include "sketch/bag.h"

namespace kith::cluster {

// How many nearest neighbours of a query are looked at.
inline constexpr uint32_t query_neighbours = 20;

struct ThresholdOptions {
  size_t queries = 200;
  uint64_t seed = 0x666c6f6f72;
  uint32_t wanted_neighbours = 10;  // that the median page should have; at most
                                    // query_neighbours
  double lowest = 0.05;
  double highest = 0.5;
  // Bags of fewer words will be in no cluster (--min-words): they do not count.
  uint32_t min_words = 1;
  // By id, not 0: pages. The median page is to have the neighbours, too. Empty: all are pages.
  std::span<const uint8_t> is_page = {};
  // Neighbours are those of the same class, and bags with too few of them do not count.
  similar::Classes classes = {};
};

struct ThresholdChoice {
  double similarity = 0;  // the threshold: the median, rounded down to fiftieths, then clamped
  double median = 0;      // of the similarity to the wanted_neighbours-th neighbour, as it is
  size_t queries = 0;     // that decided; at most as many as were asked for
  // Over these queries, of the similarity to the 1st, 10th and 20th nearest neighbour; 0 for
  // those with fewer neighbours.
  std::array<Quantiles, 3> ranks{};
  evaluate::BruteForceResult sample;  // with K = query_neighbours, and histograms over `groups`
};

// Brute force over a seeded sample of all bags, and where fewer than half of them are of pages,
// over a sample of pages as well. All bags or those of pages decide, whichever have the lower
// median. With no non-empty bag, the threshold is `highest`. `groups` are the duplicates among the
// bags.
ThresholdChoice choose_threshold(const sketch::BagCollection& bags,
                                 const similar::DuplicateGroups& groups,
                                 const ThresholdOptions& options, ThreadPool& pool);

}  // namespace kith::cluster
