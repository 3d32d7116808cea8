#include "base/random.h"

#include <chrono>

#include <unistd.h>

#include "base/hash.h"

namespace kith {

uint64_t random_seed() {
  uint64_t seed = 0;
  if (getentropy(&seed, sizeof seed) == 0) return seed;
  const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
  return mix64(static_cast<uint64_t>(now));
}

}  // namespace kith
