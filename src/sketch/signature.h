// Min-wise signatures of weighted bags by dithered flattening (the paper, section 3.2;
// DESIGN.md section 2, "Signature"). Pure.
#pragma once

#include <cstdint>
#include <span>

#include "sketch/bag.h"

namespace kith {

enum class SimdLevel : uint8_t { scalar, avx2, avx512 };
SimdLevel best_simd_level();  // of this processor; cheap

struct SketchOptions {
  uint32_t lanes = 128;    // m, the number of minima: a multiple of 16 in [16, 1024]
  uint32_t copies = 100;   // S', the copies that a bag of weight S = 100 is flattened to
  uint64_t seed = 0x6b697468;
};

// Makes signatures: m values of 16 bits, of which two bags share each lane with probability
// sim(u, v) (plus 2^-16 for chance). Immutable after construction and thread-safe. Every SIMD
// level gives the same bits.
class Sketcher {
 public:
  // REQUIRES: options in range, level supported by this processor.
  explicit Sketcher(const SketchOptions& options, SimdLevel level = best_simd_level());
  ~Sketcher();
  Sketcher(Sketcher&&) noexcept;
  Sketcher& operator=(Sketcher&&) noexcept;

  uint32_t lanes() const;

  // REQUIRES: signature.size() == lanes(). An empty bag gives all zeros.
  void sketch(Bag bag, std::span<uint16_t> signature) const;

 private:
  struct Impl;
  Impl* impl_;
};

// n signatures in one array, row by row. A view.
class Signatures {
 public:
  Signatures() = default;
  Signatures(std::span<const uint16_t> values, uint32_t lanes) : values_(values), lanes_(lanes) {}
  size_t size() const { return lanes_ == 0 ? 0 : values_.size() / lanes_; }
  uint32_t lanes() const { return lanes_; }
  std::span<const uint16_t> operator[](size_t id) const {
    return values_.subspan(id * lanes_, lanes_);
  }

 private:
  std::span<const uint16_t> values_;
  uint32_t lanes_ = 0;
};

// The low byte of every lane: the 8-bit plane that verification compares first. A view.
class SignaturePlane {
 public:
  SignaturePlane() = default;
  SignaturePlane(std::span<const uint8_t> values, uint32_t lanes)
      : values_(values), lanes_(lanes) {}
  size_t size() const { return lanes_ == 0 ? 0 : values_.size() / lanes_; }
  uint32_t lanes() const { return lanes_; }
  std::span<const uint8_t> operator[](size_t id) const {
    return values_.subspan(id * lanes_, lanes_);
  }

 private:
  std::span<const uint8_t> values_;
  uint32_t lanes_ = 0;
};

// The number of equal values at equal positions; both rows have the same length. The SIMD
// level is chosen once per process; *_scalar is its twin.
uint32_t count_equal(std::span<const uint8_t> a, std::span<const uint8_t> b);
uint32_t count_equal_scalar(std::span<const uint8_t> a, std::span<const uint8_t> b);

// What a number of equal values says about the similarity.
struct Estimate {
  double lower;  // bounds that hold with the asked confidence
  double value;  // unbiased: (X / m - 2^-b) / (1 - 2^-b), cut to [0, 1]
  double upper;
};
// X = equal of m = lanes values of b = bits bits (1 to 16); confidence in (0, 1), e.g. 0.99.
// The bounds are those of the binomial distribution (Clopper-Pearson), corrected for b.
Estimate estimate_similarity(uint32_t equal, uint32_t lanes, uint32_t bits, double confidence);

// The largest X that a pair of similarity at least `similarity` shows with a probability of at
// most `miss`, minus nothing: a pair with count_equal < this bound may be dropped unverified
// at that risk. X ~ Bin(m, s + (1 - s) 2^-b).
uint32_t least_equal(double similarity, uint32_t lanes, uint32_t bits, double miss);

}  // namespace kith
