// Some bags of a collection, as of a sample. Internal to this folder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/stable_store.h"
#include "sketch/bag.h"

namespace kith::similar {

// Bag i is that of ids[i]. Copies: bags that lie anywhere would bring most of a mapped collection
// into the resident set.
class BagCopies {
 public:
  BagCopies(const sketch::BagCollection& bags, std::span<const uint32_t> ids) {
    std::vector<sketch::BagEntry> buffer;
    for (const uint32_t id : ids) bags_.push_back(store_.copy(bags.read(id, buffer)));
  }

  size_t size() const { return bags_.size(); }
  sketch::Bag operator[](size_t i) const { return bags_[i]; }

 private:
  StableStore store_;
  std::vector<sketch::Bag> bags_;
};

}  // namespace kith::similar
