// Bytes in and out. Files are little-endian; integers are written one by one, never as a
// struct. Cursor is the only code that reads foreign bytes by position.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

namespace kith {

using Bytes = std::span<const std::byte>;

static_assert(
    std::endian::native == std::endian::little,
    "kith maps its little-endian files directly; a big-endian port needs readers that swap");

inline Bytes as_bytes(std::string_view text) {
  return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}
template <class T>
requires std::is_trivially_copyable_v<T> Bytes as_bytes(std::span<const T> values) {
  return std::as_bytes(values);
}
inline std::string_view as_text(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

template <class T>
requires std::is_integral_v<T>
void append_fixed(std::string& out, T value) {
  char raw[sizeof(T)];
  std::memcpy(raw, &value, sizeof(T));
  out.append(raw, sizeof(T));
}

// LEB128: seven bits per byte, the low ones first; 1 to 10 bytes.
inline void append_varint(std::string& out, uint64_t value) {
  while (value >= 0x80) {
    out.push_back(static_cast<char>(value | 0x80));
    value >>= 7;
  }
  out.push_back(static_cast<char>(value));
}

// A varint, how many bytes there are, and then these.
inline void append_string(std::string& out, std::string_view bytes) {
  append_varint(out, bytes.size());
  out += bytes;
}

// Reads values from the front of a byte range that it does not own. After the first read
// past the end, or of a malformed varint, failed() is true for ever and every read gives
// zero: read a whole record, then ask once.
class Cursor {
 public:
  explicit Cursor(std::string_view bytes) : rest_(bytes) {}
  explicit Cursor(Bytes bytes) : rest_(as_text(bytes)) {}

  bool failed() const { return failed_; }
  bool at_end() const { return rest_.empty(); }
  size_t remaining() const { return rest_.size(); }

  template <class T>
  requires std::is_integral_v<T> T fixed() {
    T value = 0;
    const std::string_view raw = take(sizeof(T));
    if (raw.size() == sizeof(T)) std::memcpy(&value, raw.data(), sizeof(T));
    return value;
  }

  uint64_t varint() {
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      if (rest_.empty()) break;
      const auto byte = static_cast<unsigned char>(rest_.front());
      rest_.remove_prefix(1);
      value |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    fail();
    return 0;
  }

  // The next n bytes, or nothing (and failed()) when fewer are left.
  std::string_view take(uint64_t n) {
    if (n > rest_.size()) {
      fail();
      return {};
    }
    const std::string_view front = rest_.substr(0, n);
    rest_.remove_prefix(n);
    return front;
  }

 private:
  void fail() {
    failed_ = true;
    rest_ = {};
  }

  std::string_view rest_;
  bool failed_ = false;
};

}  // namespace kith
