// A copy of a collection of bags, to be read in any order. Internal to this folder.
#pragma once

#include <cstdint>

#include "base/large_array.h"
#include "base/parallel/thread_pool.h"
#include "sketch/bag.h"

namespace kith::similar {

// The same bags in huge pages: bags of a mapped file that lie anywhere miss the address cache, too,
// and take twice the time. The pages of the file are given back.
class BagsInMemory {
 public:
  BagsInMemory(const sketch::BagCollection& bags, ThreadPool& pool);

  // As long as this object lives. It may be moved.
  const sketch::BagCollection& bags() const { return bags_; }

 private:
  LargeArray<uint64_t> offsets_;
  LargeArray<sketch::BagEntry> entries_;
  sketch::BagCollection bags_;
};

}  // namespace kith::similar
