// Groups of pages of one language each, at the first level of the tree.
#pragma once

#include <cstdint>
#include <span>

#include "base/parallel/thread_pool.h"
#include "topics/reassignment.h"
#include "topics/vectors.h"

namespace kith::topics {

// Takes pages out of the groups of other languages. language: by node, in [1, 255]; 0: not known,
// which stays where it is. A language counts that has `least` pages, of the 12 largest; those whose
// pages share words (a cosine of the sums above .2) count as one. A group keeps the language that
// most of its pages have. Pages of another one become a group of their own where they are `least`
// or more, else they go to the largest group of their language, which is made where there is none.
// Sums, pages and directions are those of the new groups. `sum` is that of all vectors. The same
// for any number of threads. Memory: 8 bytes for each term and language, besides the groups.
void separate_languages(const TopicVectors& vectors, std::span<const uint64_t> sum,
                        std::span<const uint8_t> language, uint64_t least, Groups& groups,
                        ThreadPool& pool);

// At most so many groups more than there were.
inline constexpr uint32_t max_separated = 12;

}  // namespace kith::topics
