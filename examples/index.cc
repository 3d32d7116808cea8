// Near-duplicates among texts that come one by one.
#include <array>
#include <string_view>

#include <kith/index.h>
#include <kith/shingles.h>

#include "example.h"

int main() {
  constexpr std::array<std::string_view, 3> texts = {
      "the index holds the shingles of every text that has come so far and is asked for the next",
      "an unrelated text about the weather of the coming week in the north and in the west",
      "the index holds the shingles of every text that has come so far and is asked for the last"};
  kith::SetIndex index = value_of(kith::SetIndex::make({.similarity = 0.7}));
  for (const std::string_view text : texts) {
    const std::vector<uint64_t> set = value_of(kith::shingles(text, {.width = 3}));
    const std::vector<kith::Match> matches = value_of(index.query(set));
    const uint32_t id = value_of(index.add(set));
    for (const kith::Match& match : matches) {
      std::printf("text %u resembles text %u: %.3f\n", id, match.id, match.similarity);
    }
  }
}
