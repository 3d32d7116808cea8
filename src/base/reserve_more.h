// Arrays that grow by small additions.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace kith {

// Room for more values, so that many small additions take linear time together.
template <class T>
void reserve_more(std::vector<T>& values, size_t more) {
  const size_t size = values.size() + more;
  if (size > values.capacity()) values.reserve(std::max(size, 2 * values.size()));
}

}  // namespace kith
