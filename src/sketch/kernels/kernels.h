// The inner loops of sketch, once per SIMD level. Internal to src/sketch.
#pragma once

#include "sketch/kernels/scalar_kernels.h"
#include "sketch/simd.h"
#include "sketch/simhash.h"

namespace kith::sketch {

struct Kernels {
  MinimaKernels minima;
  MinHashUpdate minhash;
  BinsKernels bins;
  CompareKernels compare;
  HammingKernels hamming;  // at avx512 for processors that have AVX512VPOPCNTDQ as well
  SimhashSums simhash;
};

extern const Kernels scalar_kernels;
#if KITH_X86_KERNELS
extern const Kernels avx2_kernels;
extern const Kernels avx512_kernels;
#endif

// REQUIRES: level supported by this processor.
const Kernels& kernels(SimdLevel level);

}  // namespace kith::sketch
