// What the operating system says of this process.
#pragma once

#include <cstdint>

namespace kith {

// The largest resident set of this process so far, in bytes. Thread-safe.
uint64_t peak_memory();

// Gives the memory that was freed back to the system, where the allocator keeps it. Thread-safe.
void give_back_free_memory();

}  // namespace kith
