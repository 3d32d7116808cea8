#include "list_slice.h"

#include <algorithm>

namespace kith::server {

Result<Slice> slice_of(const Target& target, uint64_t rows) {
  constexpr uint64_t usual_rows = 50;
  const Parameters parameters(target);
  Slice slice;
  slice.rows = rows;
  KITH_ASSIGN(slice.size, parameters.number("size", usual_rows, 1, most_rows));
  KITH_ASSIGN(slice.page, parameters.number("page", 1, 1, UINT32_MAX));
  slice.begin = std::min(rows, (slice.page - 1) * slice.size);
  slice.end = std::min(rows, slice.begin + slice.size);
  return slice;
}

}  // namespace kith::server
