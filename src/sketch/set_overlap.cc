#include "sketch/set_overlap.h"

#include <algorithm>
#include <cstddef>

namespace kith::sketch {
namespace {

// From this ratio on, searching for the elements of the small set costs less than a merge.
constexpr size_t worth_search = 32;

// A merge without a branch on what is compared, which is as good as random.
struct Merge {
  const uint64_t* a;
  const uint64_t* a_end;
  const uint64_t* b;
  const uint64_t* b_end;
  uint64_t common = 0;

  bool is_done() const { return a == a_end || b == b_end; }
  void step() {
    const uint64_t x = *a;
    const uint64_t y = *b;
    common += x == y;
    a += x <= y;
    b += y <= x;
  }
  void finish() {
    while (!is_done()) step();
  }
};

// A step waits for the one before: two merges at a time, of the lower and the upper halves, take
// hardly longer than one.
uint64_t merge(HashSet a, HashSet b) {
  if (a.empty() || b.empty()) return 0;
  const uint64_t* a_middle = a.data() + a.size() / 2;
  const uint64_t* a_end = a.data() + a.size();
  const uint64_t* b_end = b.data() + b.size();
  const uint64_t* b_middle = std::lower_bound(b.data(), b_end, *a_middle);
  Merge lower = {a.data(), a_middle, b.data(), b_middle};
  Merge upper = {a_middle, a_end, b_middle, b_end};
  while (!lower.is_done() && !upper.is_done()) {
    lower.step();
    upper.step();
  }
  lower.finish();
  upper.finish();
  return lower.common + upper.common;
}

// Galloping: steps of doubling length from the place of the last element, then halving.
uint64_t search(HashSet small, HashSet large) {
  uint64_t common = 0;
  for (const uint64_t element : small) {
    size_t step = 1;
    while (step < large.size() && large[step] < element) step *= 2;
    const auto end = large.begin() + static_cast<ptrdiff_t>(std::min(step + 1, large.size()));
    const auto place = std::lower_bound(large.begin(), end, element);
    common += place != large.end() && *place == element;
    large = large.subspan(static_cast<size_t>(place - large.begin()));
  }
  return common;
}

}  // namespace

SetOverlap overlap(HashSet a, HashSet b) {
  const HashSet small = a.size() < b.size() ? a : b;
  const HashSet large = a.size() < b.size() ? b : a;
  const bool is_unequal = large.size() / worth_search >= small.size();
  return {a.size(), b.size(), is_unequal ? search(small, large) : merge(small, large)};
}

double containment_at(double resemblance, uint64_t a, uint64_t b) {
  const double sizes = static_cast<double>(a) + static_cast<double>(b);
  const double common = resemblance * sizes / (1.0 + resemblance);
  return std::min(common, static_cast<double>(std::min(a, b))) / static_cast<double>(a);
}

double resemblance_at(double containment, uint64_t a, uint64_t b) {
  const double common = std::min(containment * static_cast<double>(a), static_cast<double>(b));
  return common / (static_cast<double>(a) + static_cast<double>(b) - common);
}

}  // namespace kith::sketch
