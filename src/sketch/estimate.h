// Estimates with bounds: what every sketch answers.
#pragma once

#include <cstdint>

#include "kith/estimate.h"

namespace kith::sketch {

// The share p of which `hits` of `trials` draws are a sample: hits / trials, with the bounds of the
// binomial distribution (Clopper and Pearson 1934). Draws without replacement are spread less, so
// the bounds hold for them too. Without any trials nothing is known: 0, in [0, 1].
// REQUIRES: hits <= trials, confidence in (0, 1), e.g. 0.99.
Estimate share_bounds(uint64_t hits, uint64_t trials, double confidence);

// A share that is known: no doubt is left. 0 where nothing is counted.
Estimate known_share(uint64_t part, uint64_t whole);

// The chance that two different values agree in their low `bits` bits (1 to 16), and the similarity
// at which a share of equal values is expected when such values agree by chance.
double chance_of_agreement(uint32_t bits);
double similarity_at_share(double share, double chance);

}  // namespace kith::sketch
