// A copy of a collection of bags, to be read in any order. Internal to this folder.
#pragma once

#include <cstdint>

#include "base/large_array.h"
#include "parallel/thread_pool.h"
#include "sketch/bag.h"

namespace kith::pairs::internal {

// The same bags in huge pages: bags of a mapped file that lie anywhere miss the address cache, too,
// and take twice the time. The pages of the file are given back.
class BagsInMemory {
 public:
  BagsInMemory(const BagCollection& bags, ThreadPool& pool);

  // As long as this object lives. It may be moved.
  const BagCollection& bags() const { return bags_; }

 private:
  LargeArray<uint64_t> offsets_;
  LargeArray<BagEntry> entries_;
  BagCollection bags_;
};

}  // namespace kith::pairs::internal
