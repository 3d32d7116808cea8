// Signatures of weighted bags, whose share of equal lanes is the similarity of the bags
// (docs/algorithms/sketch.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "kith/bags.h"
#include "kith/status.h"

#pragma GCC visibility push(default)

namespace kith {

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
