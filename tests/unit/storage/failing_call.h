// What the operating system says where no disk of a test says it: the linker puts these calls in
// the place of its own (tests/unit/CMakeLists.txt).
#pragma once

#include <cstdint>

namespace kith::storage {

enum class Call : uint8_t {
  open,
  opendir,
  readdir,
  rmdir,
  write,
  pread,
  fdatasync,
  fsync,
  close,  // closes, and then fails
  fstat,
  mmap,
  mremap,
  flock,
};

// As long as the object lives, the first such call of this thread fails with an error of errno, or
// where that is 0 gives 0. One object at a time.
class FailingCall {
 public:
  FailingCall(Call call, int error);
  ~FailingCall();
  FailingCall(const FailingCall&) = delete;
  FailingCall& operator=(const FailingCall&) = delete;

  // Whether the call came.
  bool has_failed() const;
};

}  // namespace kith::storage
