// The similarity of weighted bags, and what their signatures say of it.
#include <vector>

#include <kith/bags.h>
#include <kith/sketches.h>

#include "example.h"

int main() {
  const std::vector<uint64_t> offsets = {0, 3, 6};
  const std::vector<uint32_t> terms = {1, 2, 3, 2, 3, 4};
  const std::vector<double> weights = {0.5, 2, 1, 2, 1.5, 0.5};
  const kith::Bags bags = value_of(kith::Bags::make({offsets, terms, weights}));
  const kith::BagSketcher sketcher = value_of(kith::BagSketcher::make());
  std::vector<uint16_t> rows(bags.size() * sketcher.lanes());
  check(sketcher.signatures(bags, rows));
  const std::span<const uint16_t> all(rows);
  const uint32_t lanes = sketcher.lanes();
  const kith::Estimate estimate =
      value_of(kith::estimate_similarity(all.first(lanes), all.last(lanes)));
  std::printf("similarity %.3f, estimated %.3f\n", bags.similarity(0, 1), estimate.value);
}
