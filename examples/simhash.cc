// Texts whose fingerprints differ in few bits.
#include <string_view>
#include <vector>

#include <kith/shingles.h>
#include <kith/sketches.h>

#include "example.h"

int main() {
  const std::vector<std::string_view> texts = {"one two three four five six seven",
                                               "one two three four five six eight"};
  const kith::Sets sets = value_of(kith::shingles(texts, {.width = 1}));
  std::vector<uint64_t> fingerprints(sets.size());
  check(kith::SimHasher().fingerprints(sets, fingerprints));
  const kith::Estimate cosine =
      value_of(kith::estimate_cosine(fingerprints[0], fingerprints[1], 0.95));
  std::printf("%u bits differ: a cosine of about %.2f\n",
              kith::hamming_distance(fingerprints[0], fingerprints[1]), cosine.value);
}
