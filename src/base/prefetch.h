// Asking for memory before it is read.
#pragma once

#include <cstddef>
#include <span>

namespace kith {

// Has no effect but that the values may be read faster soon: all their cache lines are fetched.
template <class T>
inline void prefetch(std::span<const T> values) {
  constexpr size_t cache_line = 64;
  const auto bytes = std::as_bytes(values);
  for (size_t i = 0; i < bytes.size(); i += cache_line) __builtin_prefetch(bytes.data() + i);
}

}  // namespace kith
