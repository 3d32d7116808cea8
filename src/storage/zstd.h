// Blocks of our own files as zstd frames, and zstd that finds no memory.
#pragma once

#include <cstddef>
#include <new>
#include <string>
#include <string_view>

#include <zstd.h>
#include <zstd_errors.h>

namespace kith::storage {

// zstd that finds no memory: no damage of what it reads.

// Throws std::bad_alloc where that is what a call says.
inline void check_zstd_memory(size_t outcome) {
  if (ZSTD_getErrorCode(outcome) == ZSTD_error_memory_allocation) throw std::bad_alloc();
}

// Blocks of our own files as single zstd frames (RFC 8878).

// Replaces `frame` by `bytes`, packed for speed. Thread-safe.
void pack(std::string_view bytes, std::string& frame);

// Replaces `bytes` by what a frame holds; false when it is no whole frame, and only that. Memory
// follows what is really there, whatever the frame says of its size. Thread-safe.
bool unpack(std::string_view frame, std::string& bytes);

}  // namespace kith::storage
