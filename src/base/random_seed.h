// Randomness that no input can predict.
#pragma once

#include <cstdint>

namespace kith {

// A new number at each call, from the operating system (the clock where that gives none). For
// hash tables over foreign keys; nothing that is written may depend on it. Thread-safe.
uint64_t random_seed();

}  // namespace kith
