// Bags with their signatures and groups, for tests of the joins by tables.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/parallel/thread_pool.h"
#include "similar/duplicates.h"
#include "sketch/bag.h"
#include "sketch/signature.h"

namespace kith::similar {

// A collection with all that the join needs of it.
struct Signed {
  Signed(const sketch::BagCollection& collection, uint32_t lanes)
      : bags(collection), values(bags.size() * lanes), bytes(bags.size() * lanes) {
    const sketch::Sketcher sketcher({.lanes = lanes});
    for (size_t id = 0; id < bags.size(); ++id) {
      sketcher.sketch(bags[id], std::span(values).subspan(id * lanes, lanes));
    }
    sketch::low_bytes(values, bytes);
    signatures = sketch::Signatures(values, lanes);
    plane = sketch::SignaturePlane(bytes, lanes);
    ThreadPool pool(1);
    groups = find_duplicates(bags, pool);
  }
  sketch::BagCollection bags;
  std::vector<uint16_t> values;
  std::vector<uint8_t> bytes;
  sketch::Signatures signatures;
  sketch::SignaturePlane plane;
  DuplicateGroups groups;
};

}  // namespace kith::similar
