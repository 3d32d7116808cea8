#include "topics/products.h"

#include <algorithm>
#include <array>

#include "topics/as_double.h"

namespace kith::topics {
namespace {

// The groups from `first` on, so many times product_lanes of them: their sums stay in registers.
template <size_t Times>
void set_some(Vector vector, const TermMatrix<float>& directions, size_t first,
              std::span<double> products) {
  std::array<double, Times * product_lanes> sums{};
  for (const Coordinate& c : vector) {
    const double value = as_double(c.value);
    const float* const direction = directions.row(c.term) + first;
    for (size_t i = 0; i < sums.size(); ++i) sums[i] += value * static_cast<double>(direction[i]);
  }
  std::ranges::copy(sums, products.begin() + static_cast<ptrdiff_t>(first));
}

}  // namespace

void set_products(Vector vector, const TermMatrix<float>& directions, std::span<double> products) {
  const size_t groups = directions.groups();
  size_t first = 0;
  for (; first + 2 * product_lanes < groups; first += 3 * product_lanes) {
    set_some<3>(vector, directions, first, products);
  }
  if (first + product_lanes < groups) {
    set_some<2>(vector, directions, first, products);
  } else if (first < groups) {
    set_some<1>(vector, directions, first, products);
  }
}

}  // namespace kith::topics
