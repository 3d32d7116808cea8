// What the pairs stage finds: neighbours with their exact sums, and pairs.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

#include <fmt/format.h>

#include "kith/status.h"

namespace kith::similar {

struct Neighbour {
  uint32_t id;
  uint32_t sum_of_minima;  // A, exact; similarity_of(A) is the similarity (sketch/bag.h)
  friend bool operator==(const Neighbour&, const Neighbour&) = default;
};

// The tie rule, everywhere in this stage: the larger sum is nearer, and of equal sums the smaller
// id. It is a total order, so "the K nearest" is one list and not one of several. An object, since
// algorithms do not inline a function that they are given by address.
inline constexpr auto nearer = [](const Neighbour& a, const Neighbour& b) {
  return a.sum_of_minima != b.sum_of_minima ? a.sum_of_minima > b.sum_of_minima : a.id < b.id;
};

struct Pair {
  uint32_t a;  // a < b
  uint32_t b;
  uint32_t sum_of_minima;  // exact
  friend auto operator<=>(const Pair&, const Pair&) = default;
};

inline constexpr uint32_t no_id = UINT32_MAX;

// What receives the pairs that a join finds.

// Receives the pairs (a, b), a < b, that are similar: once for each a that has any, a ascending,
// with its b ascending; from one thread at a time. An error ends the join.
using PairSink = std::function<Status(uint32_t a, std::span<const Neighbour> bs)>;

// Receives similar pairs of distinct bags, a < b both representatives, in sorted runs; each pair
// in one run only; from one thread at a time. An error ends the join.
using PairRunSink = std::function<Status(std::span<const Pair> sorted)>;

// Called with the share of the work that is done, in [0, 1], from one thread at a time.
using JoinProgress = std::function<void(double share)>;

// What a join says that was given less memory than its minimum. Internal to this folder.

// memory, least: bytes of the join's own share.
inline Error too_little_memory(uint64_t memory, uint64_t least, uint64_t count,
                               std::string_view what) {
  return {ErrorKind::usage, fmt::format("{} bytes of memory are too few to compare {} {}; {} are "
                                        "the minimum",
                                        memory, count, what, least)};
}

}  // namespace kith::similar
