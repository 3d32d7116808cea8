// KITH_CHECK: an assert for mistakes of kith itself, kept in release builds. Nothing that a
// user, a file or the operating system does may reach one.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>

#include "kith/status.h"

namespace kith::internal {
[[noreturn]] inline void check_failed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "kith: internal error: %s does not hold at %s:%d; please report it\n",
               condition, file, line);
  std::abort();
}
}  // namespace kith::internal

#define KITH_CHECK(condition)         \
  ((condition) ? static_cast<void>(0) \
               : ::kith::internal::check_failed(#condition, __FILE__, __LINE__))

// The errors that are made in many places.
namespace kith {

inline Error usage_error(std::string message) {
  return {ErrorKind::usage, std::move(message)};
}

}  // namespace kith
