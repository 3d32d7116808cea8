// How similar the bags of a collection are to each other: what a model comes to.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "kith/report.h"

#include "sketch/bag.h"
#include "synthetic/model.h"

namespace kith::synthetic {

// Pairs of one kind, sampled with replacement.
struct PairSimilarities {
  std::string_view pairs;
  uint32_t sampled = 0;  // 0 when there are none
  double mean = 0;
  Quantiles quantiles;
};

// Samples up to `samples` pairs of each kind: the same family; the same subtopic; the same topic
// and different subtopics; different topics. All but the first are pairs of plain pages; copies
// and empty bags are left out. `bags` are those of `model`. The same for the same seed. Memory:
// 24 bytes per URL.
std::array<PairSimilarities, 4> measure_similarities(const sketch::BagCollection& bags,
                                                     const Model& model, uint32_t samples,
                                                     uint64_t seed);

}  // namespace kith::synthetic
