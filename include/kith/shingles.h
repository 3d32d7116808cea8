// Sets of hashes, and texts as such sets: what near-duplicates are compared by.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "kith/status.h"

#pragma GCC visibility push(default)

namespace kith {

// Many sets of hashes, such as the shingles of documents, side by side in two arrays.

// n sets: set i is elements[offsets[i], offsets[i + 1]). A view of n + 1 ascending offsets, of
// which the first need not be 0 (a slice of a longer array has another), and of elements up to the
// last of them. It is also the layout of an Arrow list.
struct SetsView {
  std::span<const uint64_t> offsets = {};
  std::span<const uint64_t> elements = {};

  size_t size() const { return offsets.empty() ? 0 : offsets.size() - 1; }
  // REQUIRES: validate() is ok, i < size().
  std::span<const uint64_t> operator[](size_t i) const {
    return elements.subspan(offsets[i], offsets[i + 1] - offsets[i]);
  }
};

// An error of kind usage that names the first set whose offsets descend or lie beyond the elements.
Status validate(const SetsView& sets);

// The same, owned.
struct Sets {
  std::vector<uint64_t> offsets = {0};
  std::vector<uint64_t> elements;

  size_t size() const { return offsets.size() - 1; }
  std::span<const uint64_t> operator[](size_t i) const { return SetsView(*this)[i]; }
  operator SetsView() const { return {offsets, elements}; }
};

// Texts as sets of shingles: what near-duplicates are compared by (Broder 1997;
// docs/algorithms/near-duplicates.md).
//
//   const auto a = kith::shingles("a rose is a rose is a rose");
//   const auto all = kith::shingles(texts, {.width = 3}, 8);   // by eight threads

enum class ShingleUnit : uint8_t { words, characters };

// What digits count as.
enum class Numbers : uint8_t {
  keep,  // as they stand
  mask,  // every run of digits as the same one
  drop,  // as nothing: they only separate
};

struct ShingleOptions {
  ShingleUnit shingles = ShingleUnit::words;
  uint32_t width = 5;     // words or characters of a shingle, [1, 256]
  bool bag = false;       // a shingle that occurs n times counts n times
  bool normalize = true;  // letters, numbers and symbols, case-folded in NFKC; else as it stands
  Numbers numbers = Numbers::keep;  // with normalize
};

// An error of kind usage when the width is out of range.
Status validate(const ShingleOptions& options);

// The elements of a text: hashes of 64 well-mixed bits, ascending, each once. Equal shingles have
// equal hashes wherever the options are equal, in files of `kith dedup` too; two different ones
// share one with a probability of 2^-63. A text of fewer tokens than the width has one shingle, of
// all of them; one without any has a single shingle, of its bytes as they stand, unless it is
// blank. The text is UTF-8 of less than 4 GiB; other bytes do no harm. Errors of kind usage: the
// width, or a text that is too long. Thread-safe.
Result<std::vector<uint64_t>> shingles(std::string_view text, const ShingleOptions& options = {});

// The same of many texts: set i is that of text i. threads: 0 is one per processor; the result does
// not depend on it. The error names the text by its number from 0.
Result<Sets> shingles(std::span<const std::string_view> texts, const ShingleOptions& options = {},
                      unsigned threads = 0);

}  // namespace kith

#pragma GCC visibility pop
