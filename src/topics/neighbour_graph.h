// The graph that topics stand on: every page with its nearest pages.
#pragma once

#include <cstdint>

#include "index/neighbours.h"
#include "parallel/thread_pool.h"
#include "topics/graph.h"
#include "topics/nodes.h"

namespace kith::topics {

// Of a list of neighbours the first so many are edges.
inline constexpr uint32_t max_neighbours = 50;

// An edge wherever a node is in the list of another. With s the similarity and m_i the mean of s
// over the list of i, a = s / sqrt(m_i m_j) and the weight is max(1, round(2^15 a)), or of 2 a
// where each is in the list of the other: local scaling, so that pages of dense regions are no hubs
// (Zelnik-Manor and Perona, Self-tuning spectral clustering, 2004). The list of a node is that of
// its first page, without its own copies and with those of another bag once. The same for any
// number of threads.
PageGraph make_neighbour_graph(const index::Neighbours& lists, const Nodes& nodes,
                               ThreadPool& pool);

}  // namespace kith::topics
