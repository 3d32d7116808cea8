// What a topic is about: its words, and the page nearest to its mean.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/parallel/thread_pool.h"
#include "topics/reassignment.h"
#include "topics/vectors.h"

namespace kith::topics {

// The page of a group that is nearest to its mean.

// By group: of the nodes of greatest `suits` that it has, the one of greatest x.S_G, ties to the
// smaller number. suits: by node; empty: all alike. REQUIRES: every group has a node, every node a
// group. The same for any number of threads.
std::vector<uint32_t> find_exemplars(const TopicVectors& vectors, std::span<const uint32_t> group,
                                     const TermMatrix<uint64_t>& sums,
                                     std::span<const uint8_t> suits, ThreadPool& pool);

// What a topic is about: the words that tell its pages from those of its siblings.

// By group: up to `most` terms, by their number in the dictionary, best first: by the
// log-likelihood ratio (cluster/labels.h) of the pages of the group against those of the other
// groups. A label stands on max(3, n / 10) of the n pages at least, more often than elsewhere, and
// on two hosts where the group has two. Ties: the smaller number. A group without such a word has
// those of greatest value > 0 in its direction: what its mean has more than that of all.
// group: by node. directions: of all groups (reassignment.h). words: by dictionary number, whether
// a term may be a label. hosts: by node, any numbers. The same for any number of threads.
std::vector<std::vector<uint32_t>> label_groups(const TopicVectors& vectors,
                                                std::span<const uint32_t> group,
                                                const TermMatrix<float>& directions,
                                                const std::vector<bool>& words,
                                                std::span<const uint32_t> hosts, uint32_t most,
                                                ThreadPool& pool);

}  // namespace kith::topics
