// SimHash: 64 bits of a weighted set, in whose number of differing bits the angle between two such
// sets is seen (Charikar 2002; Manku, Jain, Das Sarma 2007; docs/algorithms/simhash.md).
#pragma once

#include <bit>
#include <cstdint>
#include <span>

#include "kith/bags.h"
#include "kith/sets.h"
#include "kith/status.h"

#pragma GCC visibility push(default)

namespace kith {

// The number of bits in which two fingerprints differ, 0 to 64.
constexpr uint32_t hamming_distance(uint64_t a, uint64_t b) {
  return static_cast<uint32_t>(std::popcount(a ^ b));
}

// Makes fingerprints. Features are numbers of any kind: they are mixed before use. Their order does
// not matter; one that is given twice counts with both weights; without weight the fingerprint is
// 0. The same on every machine, as in the files of `kith dedup --method simhash`. Without state, so
// thread-safe. threads: 0 is one per processor; the fingerprints do not depend on it.
class SimHasher {
 public:
  // Of a set, each of whose elements counts once. An error of kind usage: 2^31 elements or more.
  Result<uint64_t> fingerprint(std::span<const uint64_t> set) const;

  // Of features with weights. Errors of kind usage: 2^31 features or more, or not as many weights.
  Result<uint64_t> fingerprint(std::span<const uint64_t> features,
                               std::span<const uint32_t> weights) const;

  // Of n sets: out[i] is that of set i. Errors of kind usage: sets that are not valid, or an `out`
  // of another size.
  Status fingerprints(const SetsView& sets, std::span<uint64_t> out, unsigned threads = 0) const;

  // Of all bags, by the numbers of their terms. An error of kind usage: an `out` of another size.
  Status fingerprints(const Bags& bags, std::span<uint64_t> out, unsigned threads = 0) const;
};

}  // namespace kith

#pragma GCC visibility pop
