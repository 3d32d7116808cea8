// Blocks of our own files as single zstd frames (RFC 8878).
#pragma once

#include <string>
#include <string_view>

namespace kith::storage {

// Replaces `frame` by `bytes`, packed for speed. Thread-safe.
void pack(std::string_view bytes, std::string& frame);

// Replaces `bytes` by what a frame holds; false when it is no whole frame, and only that. Memory
// follows what is really there, whatever the frame says of its size. Thread-safe.
bool unpack(std::string_view frame, std::string& bytes);

}  // namespace kith::storage
