// Vectors of the instruction set that a file of kernels stands for. Such a file defines
// KITH_TARGET, the attribute of every function that it compiles, and KITH_VECTOR_BYTES, the width
// of its registers; then it includes this and the kernels that are written over vectors
// (*_vectors.h), whose code is so compiled once per level. Internal to this folder.
//
// Templates over the width would not do: GCC splits vectors that are wider than the target of
// their function, and a target cannot depend on a template's argument.
#pragma once

#include <cstddef>
#include <cstdint>

namespace kith::sketch {
namespace {

inline constexpr size_t vector_bytes = KITH_VECTOR_BYTES;
inline constexpr uint32_t width = vector_bytes / sizeof(uint32_t);  // 32-bit lanes of a vector

using U8s [[gnu::vector_size(vector_bytes)]] = uint8_t;
using U32s [[gnu::vector_size(vector_bytes)]] = uint32_t;
using I32s [[gnu::vector_size(vector_bytes)]] = int32_t;
using U64s [[gnu::vector_size(vector_bytes)]] = uint64_t;

// From and to addresses that need not be aligned. Not by memcpy, after which GCC moves every vector
// once more.
template <class Vector>
struct [[gnu::packed, gnu::may_alias]] Unaligned {
  Vector vector;
};
template <class Vector>
KITH_TARGET inline Vector load(const void* values) {
  return static_cast<const Unaligned<Vector>*>(values)->vector;
}
template <class Vector>
KITH_TARGET inline void store(void* out, Vector vector) {
  static_cast<Unaligned<Vector>*>(out)->vector = vector;
}

// In every lane; compilers know these for one instruction.
KITH_TARGET inline U32s smaller(U32s x, U32s y) {
  return x < y ? x : y;
}
KITH_TARGET inline U32s larger(U32s x, U32s y) {
  return x > y ? x : y;
}

// The same where a mask of the shape of x < y says so. AVX-512 takes a mask with any operation;
// AVX2 would choose by one more, which is slow on many processors.
inline constexpr bool has_masked_operations = vector_bytes == 64;
KITH_TARGET inline U32s smaller_unless(I32s mask, U32s x, U32s y) {
  if constexpr (has_masked_operations) return mask ? x : smaller(x, y);
  return smaller(x, y | (U32s)mask);
}
KITH_TARGET inline U32s add_where(I32s mask, U32s x, U32s y) {
  if constexpr (has_masked_operations) return mask ? x + y : x;
  return x + (y & (U32s)mask);
}

}  // namespace
}  // namespace kith::sketch
