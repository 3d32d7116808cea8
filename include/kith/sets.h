// Many sets of hashes, such as the shingles of documents, side by side in two arrays.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "kith/status.h"

#pragma GCC visibility push(default)

namespace kith {

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

}  // namespace kith

#pragma GCC visibility pop
