// Weighted bags of terms in memory: what `kith cluster` compares pages by
// (docs/algorithms/bags.md).
//
//   const auto bags = kith::Bags::make({.offsets = {{0, 2, 4}}, ...});
//   double similar = bags->similarity(0, 1);
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "kith/status.h"

#pragma GCC visibility push(default)

namespace kith {

// n bags in the caller's arrays: bag i is the terms and weights [offsets[i], offsets[i + 1]), as in
// a sparse matrix of compressed rows. The first offset need not be 0.
struct BagsView {
  std::span<const uint64_t> offsets = {};
  std::span<const uint32_t> terms =
      {};  // numbers of terms; each at most once in a bag, in any order
  std::span<const double> weights = {};  // > 0 and finite
};

// A term of a bag and its weight, of which those of a bag add up to 100.
struct BagTerm {
  uint32_t term;
  double weight;
};

// The bags as kith compares them: terms ascending, and weights that are multiples of 2^-16 and add
// up to 100 exactly, so that similarities are the same on every machine. Immutable, thread-safe;
// cheap to copy, since copies share the arrays. Memory: 8 bytes an entry.
class Bags {
 public:
  Bags();  // none
  // Scales the weights of every bag. Weights that add up to 100 in multiples of 2^-16, such as
  // those of Run::bag(), stay as they are. threads: 0 is one per processor; the result does not
  // depend on it. Errors of kind usage, which name the bag: offsets that descend or lie beyond the
  // arrays, a weight that is not positive and finite, a term that occurs twice, more than 65,536
  // terms.
  static Result<Bags> make(const BagsView& view, unsigned threads = 0);

  size_t size() const;
  // Terms of bag i. REQUIRES of these: numbers below size().
  size_t terms(size_t i) const;
  std::vector<BagTerm> operator[](size_t i) const;
  // The sum of the smaller weights over the sum of the larger ones, exact, in [0, 1]; 0 where a bag
  // is empty.
  double similarity(size_t i, size_t j) const;

  // Of the library; not for use outside.
  struct Arrays;
  const Arrays& arrays() const { return *arrays_; }

 private:
  explicit Bags(std::shared_ptr<const Arrays> arrays);
  std::shared_ptr<const Arrays> arrays_;
};

}  // namespace kith

#pragma GCC visibility pop
