// Sorting of 64-bit hashes: a few thousand of them per document, many million documents.
#pragma once

#include <cstdint>
#include <vector>

namespace kith {

// Sorts ascending. Values spread evenly over 64 bits, as hashes are, take linear time; any others,
// and those of very large documents, no more than std::sort. Keeps its memory (about 9 bytes a
// value, at most 3 MiB) for the next call. One instance per worker; not thread-safe.
class HashSorter {
 public:
  void sort(std::vector<uint64_t>& values);

 private:
  std::vector<uint64_t> sorted_;
  std::vector<uint32_t> bucket_at_;
};

}  // namespace kith
