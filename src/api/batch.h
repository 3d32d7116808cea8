// What the wrappers of the rooms share: batches over threads, and errors in place of exceptions.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "kith/bags.h"
#include "kith/progress.h"
#include "kith/status.h"

#include "base/parallel/thread_pool.h"
#include "run/guarded.h"
#include "sketch/bag.h"

namespace kith::api {

inline Error usage(std::string message) {
  return {ErrorKind::usage, std::move(message)};
}

// Calls work(begin, end), which returns a Status, for chunks of `grain` items of n, by so many
// threads (0: one per processor), of which none is started for one chunk. An error of one chunk
// ends the others; what is thrown becomes one.
template <class Work>
Status for_chunks(size_t n, size_t grain, unsigned threads, const Work& work) {
  return run::guarded([&]() -> Status {
    ThreadPool pool(n <= grain ? 1 : threads);
    return pool.try_chunks(n, grain,
                           [&](size_t begin, size_t end, unsigned) { return work(begin, end); });
  });
}

// That an array which the caller gives has the size that is needed.
inline Status check_size(size_t have, size_t need) {
  if (have == need) return Status::ok();
  return usage(fmt::format("an array has {} values: {} are needed", have, need));
}

}  // namespace kith::api

// The arrays of kith::Bags.
namespace kith {

struct Bags::Arrays {
  std::vector<uint64_t> offsets = {0};
  std::vector<sketch::BagEntry> entries;

  sketch::BagCollection collection() const { return {offsets, entries}; }
};

}  // namespace kith
