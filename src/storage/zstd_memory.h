// zstd that finds no memory: no damage of what it reads.
#pragma once

#include <cstddef>
#include <new>

#include <zstd.h>
#include <zstd_errors.h>

namespace kith::storage {

// Throws std::bad_alloc where that is what a call says.
inline void check_zstd_memory(size_t outcome) {
  if (ZSTD_getErrorCode(outcome) == ZSTD_error_memory_allocation) throw std::bad_alloc();
}

}  // namespace kith::storage
