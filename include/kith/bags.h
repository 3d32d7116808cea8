// Weighted bags of terms in memory: what `kith cluster` compares pages by, their similarity and
// their signatures (docs/algorithms/bags.md, sketch.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "kith/status.h"

#pragma GCC visibility push(default)

namespace kith {

// Weighted bags of terms in memory: what `kith cluster` compares pages by
// (docs/algorithms/bags.md).
//
//   const auto bags = kith::Bags::make({.offsets = {{0, 2, 4}}, ...});
//   double similar = bags->similarity(0, 1);

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

// Signatures of weighted bags, whose share of equal lanes is the similarity of the bags
// (docs/algorithms/sketch.md).

struct BagSketchOptions {
  uint32_t lanes = 128;  // m, minima of a signature: a multiple of 16 in [16, 1024]
  uint64_t seed = 1;     // signatures of different seeds say nothing about each other
};

// An error of kind usage when the lanes are out of range.
Status validate(const BagSketchOptions& options);

// Makes signatures by dithered flattening of the weights: m values of 16 bits, of which two bags
// share each with the probability of their similarity, plus 2^-16 for chance and a flattening error
// of 1/400 at most. They are those of `kith cluster` with this seed. Immutable, thread-safe.
class BagSketcher {
 public:
  static Result<BagSketcher> make(const BagSketchOptions& options = {});
  ~BagSketcher();
  BagSketcher(BagSketcher&&) noexcept;
  BagSketcher& operator=(BagSketcher&&) noexcept;

  const BagSketchOptions& options() const;
  uint32_t lanes() const { return options().lanes; }

  // Of one bag; an empty one gives all zeros. Errors of kind usage: no such bag, or
  // out.size() != lanes().
  Status signature(const Bags& bags, size_t bag, std::span<uint16_t> out) const;

  // Of all bags: row i of `out`, bags.size() x lanes() values, is that of bag i. threads: 0 is one
  // per processor; the values do not depend on it. An error of kind usage when `out` has another
  // size.
  Status signatures(const Bags& bags, std::span<uint16_t> out, unsigned threads = 0) const;

 private:
  struct State;
  explicit BagSketcher(std::unique_ptr<const State> state);
  std::unique_ptr<const State> state_;
};

}  // namespace kith

#pragma GCC visibility pop
