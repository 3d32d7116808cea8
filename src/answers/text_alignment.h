// Which passages of two texts are the same: an alignment of tokens by shared shingles
// (docs/algorithms/compare.md). Values in, values out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "kith/compare.h"

#include "text/words/shingles.h"

namespace kith::answers {

// A text as its tokens and shingles, in its order.
struct ShingledText {
  std::vector<uint64_t> tokens;    // hashes
  std::vector<uint64_t> shingles;  // number k is made of the tokens from k on
  std::vector<uint32_t> offsets;   // of the tokens, in bytes; ascending, of starts of characters
  uint64_t bytes = 0;

  // The tokens of a shingle: the width, or all of a shorter text.
  size_t width() const { return tokens.size() - shingles.size() + 1; }
};

// `text` is valid UTF-8 shorter than 4 GiB.
ShingledText shingle_text(std::string_view text, const text::ShingleOptions& options);

// Tokens [a, a + size) of one text that are those [b, b + size) of the other.
struct AlignedRun {
  size_t a;
  size_t b;
  size_t size;
  friend bool operator==(const AlignedRun&, const AlignedRun&) = default;
};

// Runs of equal tokens, ascending in both texts and apart: the longest chain of shared shingles
// that stand in the same order in both, each extended as far as tokens are equal, and again
// between them. Time O(n log n) for each of at most a few rounds. REQUIRES: both of the same
// options, none without tokens.
std::vector<AlignedRun> align(const ShingledText& a, const ShingledText& b);

// The passages of two aligned texts; see Comparison::passages.
std::vector<Passage> passages_of(const ShingledText& a, const ShingledText& b);

}  // namespace kith::answers
