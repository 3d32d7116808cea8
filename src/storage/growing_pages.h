// Bytes that grow at their end, in pages of their own.
#pragma once

#include <cstddef>

#include "base/bytes.h"

namespace kith::storage {

// Growing moves the pages and copies none of them, so that a byte is written once. The bytes begin
// with a page, as those of a mapped file do. AddressSanitizer reports a read beyond their end.
class GrowingPages {
 public:
  GrowingPages() = default;
  GrowingPages(const GrowingPages& other) { append(other.bytes()); }
  GrowingPages& operator=(const GrowingPages&) = delete;
  ~GrowingPages();

  // Moves the bytes that are there already. Throws std::bad_alloc where there is no memory.
  void append(Bytes bytes);
  Bytes bytes() const { return {pages_, size_}; }

 private:
  void make_room(size_t need);
  // Says to AddressSanitizer whether the room behind the bytes may be touched.
  void open_rest() const;
  void close_rest() const;

  std::byte* pages_ = nullptr;
  size_t size_ = 0;
  size_t room_ = 0;  // bytes, whole pages
};

}  // namespace kith::storage
