// Lists that are answered page by page.
#pragma once

#include <cstdint>

#include "kith/status.h"

#include "json.h"
#include "target.h"

namespace kith::server {

inline constexpr uint64_t most_rows = 1000;  // of a list in one answer

// The rows [begin, end) of a list, for the parameters page (from 1) and size.
struct Slice {
  uint64_t begin = 0;
  uint64_t end = 0;
  uint64_t page = 1;
  uint64_t size = 0;
  uint64_t rows = 0;

  Json json() const {
    return {{"page", page}, {"size", size}, {"rows", rows}, {"pages", (rows + size - 1) / size}};
  }
};

// Errors: those of the parameters.
Result<Slice> slice_of(const Target& target, uint64_t rows);

}  // namespace kith::server
