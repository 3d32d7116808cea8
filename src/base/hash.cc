#include "base/hash.h"

#include <new>
#include <utility>

#include <xxhash.h>

namespace kith {

uint64_t hash64(std::string_view bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}

uint64_t hash64(std::span<const std::byte> bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}

Key128 hash128(std::string_view bytes) {
  const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  return {hash.high64, hash.low64};
}

StreamHash::StreamHash() : state_(XXH3_createState()) {
  if (state_ == nullptr) throw std::bad_alloc();
  XXH3_64bits_reset(static_cast<XXH3_state_t*>(state_));
}
StreamHash::~StreamHash() {
  XXH3_freeState(static_cast<XXH3_state_t*>(state_));
}
StreamHash::StreamHash(StreamHash&& other) noexcept
    : state_(std::exchange(other.state_, nullptr)) {}
StreamHash& StreamHash::operator=(StreamHash&& other) noexcept {
  std::swap(state_, other.state_);
  return *this;
}

void StreamHash::update(std::span<const std::byte> bytes) {
  XXH3_64bits_update(static_cast<XXH3_state_t*>(state_), bytes.data(), bytes.size());
}

uint64_t StreamHash::digest() const {
  return XXH3_64bits_digest(static_cast<const XXH3_state_t*>(state_));
}

}  // namespace kith
