// What receives the pairs that a join finds.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "kith/status.h"

#include "similar/neighbour.h"

namespace kith::similar {

// Receives the pairs (a, b), a < b, that are similar: once for each a that has any, a ascending,
// with its b ascending; from one thread at a time. An error ends the join.
using PairSink = std::function<Status(uint32_t a, std::span<const Neighbour> bs)>;

// Receives similar pairs of distinct bags, a < b both representatives, in sorted runs; each pair
// in one run only; from one thread at a time. An error ends the join.
using PairRunSink = std::function<Status(std::span<const Pair> sorted)>;

// Called with the share of the work that is done, in [0, 1], from one thread at a time.
using JoinProgress = std::function<void(double share)>;

}  // namespace kith::similar
