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
};

}  // namespace kith
