// Disjoint bands: b bands of r successive minima each, in one of which two signatures must agree
// (Leskovec, Rajaraman, Ullman, Mining of Massive Datasets, section 3.4;
// docs/algorithms/near-duplicates.md). Tables (sketch/lsh/tables.h) go on with further orders of
// the lanes. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kith/status.h"

#include "sketch/lsh/tables.h"

namespace kith::sketch {

inline constexpr uint32_t max_rows = 16;

// Two signatures meet when they are equal in all rows of some band. The chance of it is
// band_collision_probability(similarity, bands, rows) of sketch/lsh/tables.h.
struct BandParams {
  uint32_t bands = 20;                             // b >= 1
  uint32_t rows = 5;                               // r in [1, max_rows]
  uint32_t lanes() const { return bands * rows; }  // of the signature that are used
  friend bool operator==(const BandParams&, const BandParams&) = default;
};

// The integrals of the S-curve below and of what it lacks above a threshold in [0, 1].
CurveAreas band_curve_areas(double threshold, const BandParams& params);

// For every r, ascending, the fewest bands that reach the recall at the similarity, where their
// rows fit `lanes` minima: the choices among which costs may decide. Never empty. lanes in [1,
// 1024]. Error (usage) when an argument is out of range (similarity and recall must lie inside
// (0, 1)) or no r reaches the recall; the message then names the best that can be had.
Result<std::vector<BandParams>> band_choices(double similarity, double recall, uint32_t lanes);

// Of these the one that brings the fewest false positives: the smallest area under the S-curve
// below the similarity; of equal ones that of fewer rows.
Result<BandParams> choose_bands(double similarity, double recall, uint32_t lanes);

}  // namespace kith::sketch
