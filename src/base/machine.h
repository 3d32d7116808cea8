// What the operating system says of this process.
#pragma once

#include <cstdint>

namespace kith {

// The largest resident set of this process so far, in bytes. Thread-safe.
uint64_t peak_memory();

}  // namespace kith
