// What the pages of a stream consist of in the tests.
#pragma once

#include <cstdint>
#include <vector>

#include "bags/weights.h"
#include "jobs/stream/features.h"
#include "sketch/bag.h"

namespace kith::jobs {

using Elements = std::vector<uint64_t>;

// The elements of a page whose words have these weights.
inline Elements bag(const std::vector<bags::RealWeight>& weights) {
  std::vector<sketch::BagEntry> entries;
  bags::normalise(weights, 0, entries);
  Elements elements;
  for (const sketch::BagEntry& entry : entries) elements.push_back(packed(entry));
  return elements;
}

}  // namespace kith::jobs
