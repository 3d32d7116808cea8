// How alike two texts are: exactly, and by their signatures.
#include <string_view>
#include <vector>

#include <kith/shingles.h>
#include <kith/sketches.h>

#include "example.h"

int main() {
  const std::vector<std::string_view> texts = {
      "the quick brown fox jumps over the lazy dog and runs away into the dark wood",
      "the quick brown fox jumps over the lazy cat and runs away into the dark wood"};
  const kith::Sets sets = value_of(kith::shingles(texts, {.width = 2}));
  const kith::MinHasher hasher = value_of(kith::MinHasher::make({.lanes = 256}));
  std::vector<uint16_t> rows(sets.size() * hasher.lanes());
  check(hasher.signatures(sets, rows));
  const std::span<const uint16_t> all(rows);
  const kith::Estimate estimate =
      value_of(kith::estimate_similarity(all.first(hasher.lanes()), all.last(hasher.lanes())));
  std::printf("resemblance about %.2f, from %.2f to %.2f\n", estimate.value, estimate.lower,
              estimate.upper);
}
