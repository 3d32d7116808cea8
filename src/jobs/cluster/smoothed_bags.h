// Smoothed bags: a page's own bag, and the mean of those of its neighbours
// (docs/algorithms/smooth.md).
#pragma once

#include <cstdint>
#include <string>

#include "kith/status.h"

#include "base/parallel/thread_pool.h"
#include "run/neighbours.h"
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

}  // namespace kith::jobs
