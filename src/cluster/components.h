// Connected components by union-find: what joins everything that is joined by a chain.
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace kith::cluster {

// Memory: 4 bytes per id. Not thread-safe.
class Components {
 public:
  explicit Components(size_t n) : parent_(n) {
    std::iota(parent_.begin(), parent_.end(), uint32_t{0});
  }

  size_t size() const { return parent_.size(); }

  // The lowest id of the component, whatever the order of joins was. Halves paths: near constant
  // time, amortised.
  uint32_t find(uint32_t id) {
    while (parent_[id] != id) {
      parent_[id] = parent_[parent_[id]];
      id = parent_[id];
    }
    return id;
  }

  void join(uint32_t a, uint32_t b) {
    a = find(a);
    b = find(b);
    if (b < a) std::swap(a, b);
    parent_[b] = a;
  }

 private:
  std::vector<uint32_t> parent_;
};

}  // namespace kith::cluster
