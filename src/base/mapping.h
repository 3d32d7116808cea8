// The seam by which readers of a mapped file keep the resident set small.
#pragma once

#include "base/bytes.h"

namespace kith {

// Memory that stands for the bytes of a file.
class Mapping {
 public:
  virtual ~Mapping() = default;
  // Says that `bytes`, a part of this memory, will not be read for a while. They may leave the
  // resident set, and are read from the file again when they are touched. Thread-safe, also
  // against readers of the same bytes.
  virtual void release(Bytes bytes) const = 0;
  // As std::memcpy of `from`, a part of this memory, but the resident set stays as it is. For
  // values that lie anywhere: touching one may map as much as two MiB around it. Thread-safe.
  virtual void copy(Bytes from, std::byte* to) const = 0;
};

}  // namespace kith
