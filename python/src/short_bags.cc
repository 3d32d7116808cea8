#include "short_bags.h"

#include <utility>

namespace kith::python {
namespace {

void add_varint(std::vector<uint8_t>& bytes, uint64_t value) {
  for (; value >= 0x80; value >>= 7) bytes.push_back(static_cast<uint8_t>(value | 0x80));
  bytes.push_back(static_cast<uint8_t>(value));
}

// Takes a number off the front of the bytes; false where there is none of 32 bits.
bool take_varint(std::span<const uint8_t>& bytes, uint32_t& value) {
  uint64_t found = 0;
  for (size_t i = 0; i < 5 && i < bytes.size(); ++i) {
    found |= uint64_t{bytes[i] & 0x7fu} << (7 * i);
    if (bytes[i] >= 0x80) continue;
    value = static_cast<uint32_t>(found);
    bytes = bytes.subspan(i + 1);
    return found <= UINT32_MAX;
  }
  return false;
}

}  // namespace

Result<std::vector<uint8_t>> shorten(std::span<const uint64_t> offsets,
                                     std::span<const uint64_t> entries) {
  std::vector<uint8_t> bytes;
  bytes.reserve(entries.size() * 5);
  for (size_t bag = 0; bag + 1 < offsets.size(); ++bag) {
    if (offsets[bag] > offsets[bag + 1] || offsets[bag + 1] > entries.size()) {
      return Error{ErrorKind::usage, "offsets: must be those of the entries"};
    }
    uint32_t before = 0;
    for (const uint64_t entry : entries.subspan(offsets[bag], offsets[bag + 1] - offsets[bag])) {
      const auto term = static_cast<uint32_t>(entry);
      add_varint(bytes, uint32_t{term - before});
      add_varint(bytes, entry >> 32);
      before = term;
    }
  }
  return bytes;
}

Result<std::vector<uint64_t>> restore(std::span<const uint8_t> bytes,
                                      std::span<const uint64_t> sizes) {
  const Error damaged{ErrorKind::corrupt, "bags: their bytes and their sizes do not fit together"};
  std::vector<uint64_t> entries;
  entries.reserve(bytes.size() / 4);
  for (const uint64_t size : sizes) {
    if (size > bytes.size() / 2) return damaged;  // an entry has two bytes or more
    uint32_t term = 0;
    for (uint64_t i = 0; i < size; ++i) {
      uint32_t distance = 0;
      uint32_t weight = 0;
      if (!take_varint(bytes, distance) || !take_varint(bytes, weight)) return damaged;
      term += distance;
      entries.push_back(uint64_t{weight} << 32 | term);
    }
  }
  return bytes.empty() ? Result<std::vector<uint64_t>>(std::move(entries)) : damaged;
}

}  // namespace kith::python
