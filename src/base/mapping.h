// The seam by which readers of a mapped file keep the resident set small, and learn that a part of
// it can no longer be read.
#pragma once

#include <exception>
#include <utility>

#include "kith/status.h"

#include "base/bytes.h"

namespace kith {

// Thrown by Mapping::copy(): the loops that compare values have no place for an error in each of
// them, as they have none for std::bad_alloc. guarded() (run/guarded.h) returns the error.
class Unreadable : public std::exception {
 public:
  explicit Unreadable(Error error) : error_(std::move(error)) {}
  const Error& error() const { return error_; }
  const char* what() const noexcept override { return error_.message.c_str(); }

 private:
  Error error_;
};

// Memory that stands for the bytes of a file. To touch it ends the program (SIGBUS) where another
// process has cut the file off; read() and copy() return and throw an error then.
class Mapping {
 public:
  virtual ~Mapping() = default;
  // Says that `bytes`, a part of this memory, will not be read for a while. They may leave the
  // resident set, and are read from the file again when they are touched. Thread-safe, also
  // against readers of the same bytes.
  virtual void release(Bytes bytes) const = 0;
  // As std::memcpy of `from`, a part of this memory, but the resident set stays as it is. For
  // values that lie anywhere: touching one may map as much as two MiB around it. Thread-safe.
  virtual Status read(Bytes from, std::byte* to) const = 0;
  // The same; throws Unreadable.
  void copy(Bytes from, std::byte* to) const {
    Status status = read(from, to);
    if (!status) throw Unreadable(std::move(status).error());
  }
};

}  // namespace kith
