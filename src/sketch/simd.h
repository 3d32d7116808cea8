// Which vector instructions this processor offers. Kernels are compiled for each level by
// function attributes and chosen at run time, so that one program runs everywhere.
#pragma once

#include <cstdint>

// Set where the AVX2 and AVX-512 kernels are compiled at all.
#if defined(__x86_64__)
#define KITH_X86_KERNELS 1
#else
#define KITH_X86_KERNELS 0
#endif

namespace kith::sketch {

// avx512 stands for the F and BW subsets. Ascending: each level includes the ones before it.
enum class SimdLevel : uint8_t { scalar, avx2, avx512 };

// The best level of this processor and operating system. Cheap; thread-safe.
SimdLevel best_simd_level();

}  // namespace kith::sketch
