#include "similar/bags_in_memory.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

namespace kith::similar {

BagsInMemory::BagsInMemory(const sketch::BagCollection& bags, ThreadPool& pool)
    : offsets_(bags.offsets().size()), entries_(bags.entries().size()) {
  std::ranges::copy(bags.offsets(), offsets_.data());
  std::vector<sketch::BagBuffer> buffers(pool.size());
  pool.for_chunks(bags.size(), bags.bags_in(4 << 20),
                  [&](size_t begin, size_t end, unsigned worker) {
                    const sketch::BagBlock block = bags.block(begin, end, buffers[worker]);
                    sketch::BagEntry* next = entries_.data() + offsets_[begin];
                    for (size_t id = begin; id < end; ++id)
                      next = std::ranges::copy(block[id], next).out;
                  });
  bags.release(0, bags.size());
  bags_ = sketch::BagCollection(offsets_.span(), entries_.span());
}

}  // namespace kith::similar
