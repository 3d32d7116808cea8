#include "sketch/min_sketch.h"

#include <algorithm>
#include <cstddef>

#include "base/check.h"

namespace kith::sketch {

HashSet min_sketch(HashSet elements, uint32_t s) {
  KITH_CHECK(s > 0);
  return elements.first(std::min<size_t>(s, elements.size()));
}

Estimate estimate_resemblance(HashSet a, HashSet b, uint32_t s, double confidence) {
  KITH_CHECK(s > 0 && a.size() <= s && b.size() <= s);
  if (a.size() < s && b.size() < s) {
    const SetOverlap exact = overlap(a, b);
    return known_share(exact.common, exact.a + exact.b - exact.common);
  }
  // What is behind the end of a full sketch is not known, so the merge stops where the s smallest
  // have been seen: no sketch that is not a whole set can end before.
  uint64_t seen = 0;
  uint64_t common = 0;
  for (size_t i = 0, j = 0; seen < s && (i < a.size() || j < b.size()); ++seen) {
    const bool in_a = i < a.size() && (j == b.size() || a[i] <= b[j]);
    const bool in_b = j < b.size() && (i == a.size() || b[j] <= a[i]);
    common += in_a && in_b;
    i += in_a;
    j += in_b;
  }
  return share_bounds(common, seen, confidence);
}

}  // namespace kith::sketch
